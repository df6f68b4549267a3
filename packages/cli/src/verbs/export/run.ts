import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  canonicalize,
  isIngestKey,
  isSublError,
  newId,
  parseJson,
  SublError,
  textAt,
} from '@subluminal/core-types';
import { BUNDLE_FORMAT, BUNDLE_MANIFEST, exportRun, type BundleManifest } from '@subluminal/ledger';
import { policyByHash } from '@subluminal/records';
import type { Command } from 'commander';
import { signFreshHead } from '../../audit/fresh-head.js';
import { proverOf } from '../../audit/prover.js';
import { EXIT } from '../../program/exit/codes.js';
import { interruptible } from '../../program/exit/interrupt.js';
import { escapeText } from '../../output/escape.js';
import { progress } from '../../output/progress.js';
import { whyOf } from '../../output/system-error.js';
import type { Call } from '../../program/call.js';
import { flag, string, type Values } from '../../program/flags.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { findRunIn, openRecord } from '../../record/open.js';
import { VERSION } from '../../program/version.js';
import { attempt } from '../../program/attempt.js';

const FLAGS = {
  out: string('<folder>', 'the folder to make (default: sub-run-<run> here)'),
  force: flag('replace the bundle at that place'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub export run ID`: a folder that proves on any machine all that the ledger holds of one run. */
export function defineRun(group: Command, does: Does): void {
  does(
    takesId(
      subVerb(group, 'run', 'write one run and its proof into a folder, to be checked on another machine'),
      '<run>',
      'the id of the run',
    ),
    FLAGS,
    async (call) => {
      const runId = await runOf(call, call.id(0, 'run'));
      const target = resolve(call.session.cwd, call.flags.out ?? `sub-run-${nameOf(runId)}`);
      assertRoom(target, call.flags.force);
      // A run that has ended is under a signed head already; what a live one has so far gets there now.
      await signFreshHead(call);
      const ended = await interruptible((signal) => write(call, runId, target, signal));
      if ('interrupted' in ended) {
        call.output.note('called off: what was written is removed again');
        return ended.interrupted;
      }
      tell(call, target, ended.done);
      return EXIT.done;
    },
  );
}

/** Throws `not_found`, and for a run of another place, which has its proof there. */
async function runOf(call: Call, named: string): Promise<string> {
  if (isIngestKey(named))
    throw new SublError('not_found', `\`${named}\` is a run of another place, which alone can prove it`, {
      help: `\`sub show ${named} --json\` prints what was ingested of it`,
    });
  return findRunIn(call.home, named);
}

async function write(
  call: Given,
  runId: string,
  target: string,
  signal: AbortSignal,
): Promise<BundleManifest> {
  const { session, output } = call;
  const reader = openRecord(call.home);
  try {
    const prover = proverOf(call, undefined);
    const bar = progress(output, 'exporting', session.now);
    try {
      return await exportRun({
        reader,
        prover,
        runId,
        target,
        replace: call.flags.force,
        policy: (hash) => {
          const found = policyByHash(reader, hash);
          return found.found ? canonicalize(found.snapshot.plain) : null;
        },
        nowMs: session.now(),
        version: VERSION,
        draft: `${target}.new-${newId()}`,
        onProgress: (entries) => bar.update(entries, entries),
        signal,
      });
    } finally {
      bar.end();
      prover.close();
    }
  } catch (cause) {
    if (isSublError(cause) || typeof Reflect.get(Object(cause), 'syscall') !== 'string') throw cause;
    throw new SublError('failed', `\`${target}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'name a place in a folder that you can write, on a disk with room',
    });
  } finally {
    reader.close();
  }
}

/** Replaces nothing that somebody keeps, and with `--force` only a bundle. Throws `usage`. */
function assertRoom(target: string, isForced: boolean): void {
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return;
  if (isForced && isBundle(target)) return;
  const help = isBundle(target)
    ? 'name a folder that does not exist yet, or replace this bundle with `--force`'
    : 'name a folder that does not exist yet: this is no bundle, and is not replaced';
  throw new SublError('usage', `\`${target}\` exists`, { help });
}

function isBundle(folder: string): boolean {
  const path = join(folder, BUNDLE_MANIFEST);
  if (!existsSync(path) || !lstatSync(path).isFile() || lstatSync(path).size > 1_048_576) return false;
  const manifest = attempt(() => parseJson(readFileSync(path, 'utf8'))) ?? null;
  return textAt(manifest, 'format') === BUNDLE_FORMAT;
}

/** An id as part of a file name. */
function nameOf(runId: string): string {
  return runId.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

function tell({ output }: Call, target: string, manifest: BundleManifest): void {
  const { ledgerId, genesis, runId, ended, entries, events, previews } = manifest;
  if (output.json) {
    const ledger = { ledger_id: ledgerId, genesis };
    output.value({ bundle: target, run_id: runId, ended, ...ledger, entries, events, previews });
    return;
  }
  output.line(`${entries} entries of run ${escapeText(runId)} in ${escapeText(target)}`);
  if (!ended) output.note('the run has not ended: a bundle of it is never more than consistent (exit 6)');
  output.line(`check it anywhere with \`sub audit verify ${escapeText(target)} --pin ${genesis}\``);
}
