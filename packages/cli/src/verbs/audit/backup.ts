import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { assertHome } from '@subluminal/ipc';
import { backupLedger, unfinishedBackups } from '@subluminal/ledger';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { interruptible } from '../../program/exit/interrupt.js';
import { escapeText } from '../../output/escape.js';
import { progress } from '../../output/progress.js';
import { whyOf } from '../../output/system-error.js';
import { byteCount } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';
import { VERSION } from '../../program/version.js';

/** `sub audit backup DIR`: one snapshot of the ledger, also while a gateway writes. */
export function defineBackup(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'backup',
      'copy the ledger as it stands at one moment, also while a gateway writes',
    ).argument('<folder>', 'a folder that does not exist yet'),
    {},
    async (call) => {
      const { home, output, session } = call;
      assertHome(home);
      const target = resolve(call.operand(0, 'folder'));
      const bar = progress(output, 'copying', session.now);
      const ended = await interruptible((signal) =>
        backupLedger({
          ledger: home.ledgerDb,
          target,
          nowMs: session.now(),
          version: VERSION,
          onProgress: (done, total) => bar.update(done, total),
          signal,
        }),
      )
        .catch((error: unknown) => {
          throw refusedAt(target, error) ?? error;
        })
        .finally(() => bar.end());
      if ('interrupted' in ended) {
        output.note('called off: what was copied is removed again');
        return ended.interrupted;
      }
      const manifest = ended.done;
      const unfinished = unfinishedBackups(target);
      for (const path of unfinished)
        output.note(
          `\`${escapeText(path)}\` is a backup that was cut off, previews included: remove it unless it is made just now`,
        );
      const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
      const { ledgerId, genesis, entries, missing } = manifest;
      for (const { first, last } of missing)
        output.note(`entries ${first} to ${last} are not in it: their closed file is not in \`segments/\``);
      if (output.json)
        output.value({
          backup: target,
          ledger_id: ledgerId,
          genesis,
          entries,
          bytes,
          missing: [...missing],
          unfinished: [...unfinished],
        });
      else {
        output.line(`${entries} entries in ${escapeText(target)} (${byteCount(bytes)})`);
        output.line(`check it with \`sub audit verify ${escapeText(target)}\``);
      }
      return EXIT.done;
    },
  );
}

/**
 * An error of the system on the way to the folder, by the name that was asked for: a backup grows under
 * another.
 */
function refusedAt(target: string, error: unknown): SublError | undefined {
  const at: unknown = Reflect.get(Object(error), 'path');
  if (typeof at !== 'string' || !at.startsWith(`${target}.new-`)) return undefined;
  const parent = dirname(target);
  return new SublError('failed', `\`${target}\` cannot be made: ${whyOf(error)}`, {
    cause: error,
    help: existsSync(parent)
      ? 'name a place in a folder that you can write, on a disk with room'
      : `make the folder \`${parent}\` first, or name another place`,
  });
}
