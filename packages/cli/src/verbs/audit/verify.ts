import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { assertHome, assertWhole, homePaths, type HomePaths } from '@subluminal/ipc';
import { BUNDLE_FILES, BUNDLE_MANIFEST, verifyBundle, verifyLedger } from '@subluminal/ledger';
import type { Command } from 'commander';
import { bundleExit, bundleJson, bundleLines } from '../../audit/bundle.js';
import { subjectOf } from '../../audit/memory.js';
import { readCheckpoints, readReceipts } from '../../audit/outside-files.js';
import { outsideOf } from '../../audit/outside.js';
import { exitOf, judge, verdictJson, verdictLines } from '../../audit/verdict.js';
import { withGateway } from '../../gateway/door.js';
import { progress } from '../../output/progress.js';
import type { Call } from '../../program/call.js';
import { string, strings, type Values } from '../../program/flags.js';
import { PAGED } from '../../program/pager/paged.js';
import { subVerb, type Does } from '../../program/verb.js';
import { attempted } from '../../program/attempt.js';

const FLAGS = {
  ...PAGED,
  pin: string('<fingerprint>', 'the genesis fingerprint that it must have'),
  heads: string('<file>', 'the heads.log that remembers it'),
  receipts: string('<file>', 'audit references that somebody kept, `<seq>.<leaf>`, one a line'),
  checkpoint: strings('<file>', 'signed checkpoints that it must continue; may be repeated'),
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub audit verify [PATH]`: re-computes the ledger from its file, or a bundle. Needs no gateway and no
 * network.
 */
export function defineVerify(group: Command, does: Does): void {
  does(
    subVerb(group, 'verify', 'recompute the whole ledger, and name the first bad entry').argument(
      '[path]',
      'a copy of a ledger or its folder, or the bundle of a run (default: the ledger of the home)',
    ),
    FLAGS,
    async (call) => {
      const { output, session } = call;
      const pin = readPin(call.flags.pin);
      const folder = bundleAt(call.args[0]);
      if (folder !== undefined) return verifyFolder(call, folder, pin);
      const record = recordAt(call.args[0]);
      const home = record ?? call.home;
      if (call.args[0] === undefined && !existsSync(home.ledgerDb)) assertHome(home);
      const subject = subjectOf(
        home,
        record === undefined ? ledgerIn(call.args[0]) : undefined,
        readHeads(call.flags.heads),
        session.environment.stateFolders,
      );
      // While the parts of a home are moved, the rest of its ledger would look cut short.
      if (!subject.isCopy) assertWhole(home);
      const { unasked, ...outside } = await outsideOf(
        subject,
        home,
        call.flags.receipts,
        call.flags.checkpoint,
      );
      const bar = progress(output, 'verifying', session.now);
      const report = await verifyLedger(subject.ledger, {
        ...(subject.headsLog === undefined ? {} : { headsLog: subject.headsLog }),
        ...(pin === undefined ? {} : { pin }),
        ...outside,
        ...(subject.isCopy ? {} : { sealKeyPath: home.sealKey }),
        live: !subject.isCopy && (await isServed(home, session.now)),
        onProgress: (done, total) => bar.update(done, total),
      });
      bar.end();
      // Evidence that damage kept back may be missing only where the ledger is found tampered without it.
      if (unasked?.code === 'ledger_corrupt' && report.verdict !== 'tampered') throw unasked;
      const pinned = pin !== undefined && subject.headsLog !== undefined;
      const judged = judge(report, subject, { pinned, unasked });
      if (output.json) output.value(verdictJson(judged, outside, session.now()));
      else output.lines(verdictLines(judged, outside, output, session.now()));
      return exitOf(judged);
    },
  );
}

/** A folder with any file of a bundle in it, and without a ledger, is one, however little of it is left. */
function bundleAt(path: string | undefined): string | undefined {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    return undefined;
  if (existsSync(join(path, 'ledger.db'))) return undefined;
  return [BUNDLE_MANIFEST, ...Object.values(BUNDLE_FILES)].some((name) => existsSync(join(path, name)))
    ? resolve(path)
    : undefined;
}

/**
 * A folder that a ledger was set aside in, with what belongs to it: it is verified as a home is, and its
 * memory found.
 */
function recordAt(path: string | undefined): HomePaths | undefined {
  if (path === undefined) return undefined;
  const record = homePaths(path);
  const { config, keysDir, ledgerDb, stateHome } = record;
  const isRecord = [config, keysDir, stateHome].some((one) => existsSync(one));
  return isRecord && existsSync(ledgerDb) ? record : undefined;
}

/** In place of a ledger's file its folder will do, such as that of a backup. */
function ledgerIn(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const inside = join(path, 'ledger.db');
  return existsSync(inside) ? inside : path;
}

function verifyFolder(call: Given, folder: string, pin: string | undefined): number {
  const { output, session } = call;
  if (call.flags.heads !== undefined) {
    throw new SublError('usage', '`--heads` says nothing of a bundle', {
      help: 'a bundle is held against `--pin`, `--receipts` and `--checkpoint`',
    });
  }
  const receipts = call.flags.receipts;
  const bar = progress(output, 'verifying', session.now);
  const report = verifyBundle(folder, {
    ...(pin === undefined ? {} : { pin }),
    ...(receipts === undefined ? {} : { receipts: readReceipts(receipts) }),
    checkpoints: call.flags.checkpoint.map(readCheckpoints),
    onProgress: (done, total) => bar.update(done, total),
  });
  bar.end();
  if (output.json) output.value(bundleJson(report, folder));
  else output.lines(bundleLines(report, folder, output));
  return bundleExit(report);
}

/** A folder in place of the file is a slip of the command line, and no finding. */
function readHeads(path: string | undefined): string | undefined {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path;
  throw new SublError('usage', `\`${path}\` is a folder, and no heads.log`, {
    help: 'name the file: `--heads FOLDER/heads.log`',
  });
}

function readPin(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{64}$/.test(text)) return text;
  throw new SublError('usage', `\`${text}\` is not a genesis fingerprint`, {
    help: 'it has 64 lowercase hex digits; `sub audit verify` prints it',
  });
}

/**
 * Whether a gateway that holds this home's keys is at work: then entries behind the signed head are the
 * normal case.
 */
async function isServed(home: HomePaths, now: () => number): Promise<boolean> {
  // Whatever keeps us from a proven gateway means "no gateway": the stricter reading of the ledger.
  return (await attempted(withGateway(home, 'operator', now, () => Promise.resolve(true)))) ?? false;
}
