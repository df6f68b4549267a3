import { resolve, join } from 'node:path';
import { assertHome } from '@subluminal/ipc';
import { backupLedger } from '@subluminal/ledger';
import type { Command } from 'commander';
import { EXIT } from '../../exit/codes.js';
import { escapeText } from '../../output/escape.js';
import { progress } from '../../output/progress.js';
import { byteCount } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';
import { VERSION } from '../../version.js';

/** `sub audit backup DIR`: one snapshot of the ledger, also while a gateway writes. */
export function defineBackup(group: Command, does: Does): void {
  subVerb(group, 'backup', 'copy the ledger as it stands at one moment, also while a gateway writes')
    .argument('<folder>', 'a folder that does not exist yet')
    .action(
      does(async (call) => {
        const { home, output, session } = call;
        assertHome(home);
        const target = resolve(call.operand(0, 'folder'));
        const bar = progress(output, 'copying', session.now);
        const manifest = await backupLedger({
          ledger: home.ledgerDb,
          target,
          nowMs: session.now(),
          version: VERSION,
          onProgress: (done, total) => bar.update(done, total),
        }).finally(() => bar.end());
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
          });
        else {
          output.line(`${entries} entries in ${escapeText(target)} (${byteCount(bytes)})`);
          output.line(`check it with \`sub audit verify ${escapeText(join(target, 'ledger.db'))}\``);
        }
        return EXIT.done;
      }),
    );
}
