import { clientSessions } from '@subluminal/records';
import type { Command } from 'commander';
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
    const named = call.args.length === 0 ? undefined : call.id(0, 'session');
    await withRecord(call.home, (reader) => {
      for (const found of clientSessions(reader, named)) {
        const { runId, session } = found;
        if (!output.json) output.line(`session ${escapeText(session)} of run ${escapeText(runId)}`);
        for (const { agent, atMs, entry } of foldSession(found, reader.genesis.ledgerId)) {
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
