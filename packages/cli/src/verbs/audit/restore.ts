import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { assertHome, gatewayListens } from '@subluminal/ipc';
import { checkManifest, isReason, planRestore, type RestorePlan } from '@subluminal/ledger';
import type { Command } from 'commander';
import { visitAnchors } from '../../audit/anchor/remembered.js';
import { subjectOf } from '../../audit/memory.js';
import { logKeyOf } from '../../audit/outside.js';
import { EXIT } from '../../program/exit/codes.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { progress } from '../../output/progress.js';
import { ago } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { flag, string, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { runChild } from '../../run/child.js';
import { exitCodeOfChild } from '../../run/outcome.js';

const FLAGS = {
  yes: flag('do not ask'),
  reason: string('<text>', 'why, one line for the record'),
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub audit restore DIR`: puts a backup in the ledger's place. The entries given up stay named in the ledger
 * for ever.
 */
export function defineRestore(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'restore',
      'put a backup in the ledger’s place; what is given up is recorded for ever',
    ).argument('<folder>', 'a folder that `sub audit backup` wrote'),
    FLAGS,
    restore,
  );
}

async function restore(call: Given): Promise<number> {
  const { home, output, session } = call;
  assertHome(home);
  await assertOutsideRun(call);
  const backup = resolve(call.operand(0, 'folder'));
  const reason = call.flags.reason ?? '';
  if (!isReason(reason)) throw new SublError('usage', '`--reason` is too long, or not one line of text');
  if (await gatewayListens(home.socket)) {
    throw new SublError('already_running', 'a gateway serves this home', {
      help: 'run `sub down` first: a ledger is not replaced under a gateway',
    });
  }
  const plan = await makePlan(call, backup);
  const { size, knownSize, manifest } = plan;
  await warnOfAnchors(call, backup, size);
  for (const { first, last } of manifest.missing)
    output.note(
      `entries ${first} to ${last} are not in the backup: their closed file is to be put into \`segments/\` afterwards`,
    );
  if (!call.flags.yes) await confirm(call, plan);
  const end = await runChild({
    command: process.execPath,
    args: [session.gatewayProgram, '--home', home.home, '--restore', backup, '--reason', reason],
    env: session.environment.forGateway,
    onTerminal: process.stdin.isTTY,
  });
  const code = exitCodeOfChild(end);
  if (code !== 0) return code;
  const replaced = newestReplaced(home.home);
  const facts = {
    restored: size,
    given_up: knownSize - size,
    genesis: manifest.genesis,
    missing: [...manifest.missing],
    replaced,
  };
  if (output.json) output.value(facts);
  else {
    output.line(
      `restored a ledger of ${size} entries; ${facts.given_up} later ones were given up, and it says so`,
    );
    output.line(`what was there before stands in \`${escapeText(replaced)}\`, its closed files too`);
  }
  return EXIT.done;
}

/** Where the restore has moved what was there: the names begin with the time. */
function newestReplaced(home: string): string {
  const names = readdirSync(home).filter((name) => name.startsWith('replaced-'));
  return join(home, names.toSorted().at(-1) ?? '');
}

async function makePlan(call: Call, backup: string): Promise<RestorePlan> {
  const { home, output, session } = call;
  const { headsLog } = subjectOf(home, undefined, undefined, session.environment.stateFolders);
  const bar = progress(output, 'verifying', session.now);
  try {
    return await planRestore({
      backup,
      ledger: home.ledgerDb,
      headsLog,
      fingerprint: checkManifest(backup).genesis,
      onProgress: (done, total) => bar.update(done, total),
    });
  } finally {
    bar.end();
  }
}

/** Anchors are final: what they know and the backup does not have is a contradiction for ever. */
async function warnOfAnchors({ home, output, session }: Call, backup: string, size: number): Promise<void> {
  const { headsLog } = subjectOf(home, undefined, undefined, session.environment.stateFolders);
  const ledger = join(backup, 'ledger.db');
  const log = logKeyOf(ledger);
  if (log === undefined) return;
  const { roots } = await visitAnchors(ledger, headsLog, log, home);
  const beyond = roots.find((root) => root.size > size);
  if (beyond === undefined) return;
  output.note(
    `${escapeText(beyond.source)} knows ${beyond.size} entries and the backup has ${size}: verification will call the restored ledger tampered for as long as it does`,
  );
}

async function confirm(call: Call, { size, knownSize, manifest }: RestorePlan): Promise<void> {
  const { output, session } = call;
  if (!process.stdin.isTTY || output.json) {
    throw new SublError('usage', `this gives up ${knownSize - size} entries for good`, {
      help: 'ask for it with `--yes`, or on a terminal',
    });
  }
  output.note(
    `the backup was made ${ago(manifest.createdMs, session.now())} and holds ${size} entries; ${knownSize} are known, so ${knownSize - size} are given up`,
  );
  output.question('restore it? type yes: ');
  const answer = await new Promise<string>((done) => {
    process.stdin.once('data', (chunk: Buffer) => done(chunk.toString('utf8')));
    process.stdin.once('end', () => done(''));
  });
  process.stdin.pause();
  if (answer.trim() !== 'yes') throw new SublError('failed', 'nothing was restored');
}
