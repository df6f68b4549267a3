import type { LedgerRow } from '@subluminal/ledger';
import { formOf } from '@subluminal/plane';
import { clientSessions, shownArgs } from '@subluminal/records';
import type { Command } from 'commander';
import { readConfig } from '../../config/file.js';
import { readText } from '../../home/settings.js';
import { escapeText } from '../../output/escape.js';
import { clockTime } from '../../output/time.js';
import { entryText } from '../../plane/entry-line.js';
import { foldSession } from '../../plane/fold-session.js';
import { EXIT } from '../../program/exit/codes.js';
import { takesId, subVerb, type Does } from '../../program/verb.js';
import { withRecord } from '../../record/open.js';

const NAMED = 'a session or a run, or a part of its id; the newest session unless given';

/** `sub plane explain [SESSION]`: the boundaries of a session's work, as the record shows them. */
export function defineExplain(group: Command, does: Does): void {
  const command = subVerb(group, 'explain', 'tell where the work of a session changed, as its record shows');
  does(takesId(command, '[session]', NAMED), {}, async (call) => {
    const { output } = call;
    const named = call.optionalId('session');
    const { form } = readConfig(call.home.config, readText(call.home.config) ?? '').config.plane;
    await withRecord(call.home, (reader) => {
      const formFit = (first: LedgerRow) =>
        first.tool === null || typeof first.tool === 'string'
          ? undefined
          : formOf(form, first.tool, shownArgs(reader, first));
      for (const found of clientSessions(reader, named)) {
        const { runId, session } = found;
        if (!output.json) output.line(`session ${escapeText(session)} of run ${escapeText(runId)}`);
        for (const { agent, atMs, entry } of foldSession(found, reader.genesis.ledgerId, formFit)) {
          if (output.json) {
            output.value({
              session,
              run_id: runId,
              agent,
              at: new Date(atMs).toISOString(),
              ...entry,
            });
            continue;
          }
          const text = entryText(entry);
          if (text === undefined) continue;
          const of = agent === '' ? '' : `subagent ${agent}  `;
          output.line(escapeText(`${clockTime(atMs)}  ${of}${text}`));
        }
      }
    });
    return EXIT.done;
  });
}
