import { type JsonValue, numberAt, objectAt, textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { clientSessions, entryJson, recordJson } from '@subluminal/records';
import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import { clockTime } from '../../output/time.js';
import { EXIT } from '../../program/exit/codes.js';
import { takesId, subVerb, type Does } from '../../program/verb.js';
import { recordLine } from '../../record/lines.js';
import { withRecord } from '../../record/open.js';

const NAMED = 'a session or a run, or a part of its id; the newest session unless given';

/** `sub hooks explain [SESSION]`: what a client's session did, step by step. */
export function defineExplain(group: Command, does: Does): void {
  const command = subVerb(group, 'explain', 'tell what a session of a client did, step by step');
  does(takesId(command, '[session]', NAMED), {}, async (call) => {
    const { output } = call;
    const named = call.optionalId('session');
    await withRecord(call.home, (reader) => {
      for (const { session, runId, steps } of clientSessions(reader, named)) {
        if (!output.json) output.line(`session ${escapeText(session)} of run ${escapeText(runId)}`);
        for (const step of steps) {
          if ('record' in step) {
            if (output.json) output.value(recordJson(step.record));
            else output.line(recordLine(step.record, output));
          } else if (output.json) output.value(entryJson(reader, step.event));
          else output.line(eventLine(step.event));
        }
      }
    });
    return EXIT.done;
  });
}

/** The event, of which subagent or call, and its facts. */
function eventLine({ ts, data, tool }: LedgerRow): string {
  const said = (...keys: string[]): string => escapeText(textAt(data, 'hook', ...keys));
  const told = Object.entries(objectAt(data, 'facts'));
  const parts = [
    said('event'),
    said('agent_type'),
    typeof tool === 'string' || tool === null ? '' : escapeText(tool.join('.')),
    ...told.map(([name, value]) => escapeText(`${name} ${wordOf(value)}`)),
    said('message') === '' ? '' : `its message is ${said('message')}`,
  ];
  return `${clockTime(ts)}  ${parts.filter((part) => part !== '').join('  ')}`;
}

/** A prompt is known by its length. */
function wordOf(value: JsonValue): string {
  const bytes = numberAt(value, 'bytes');
  return bytes === undefined ? textAt(value) : `of ${bytes} bytes`;
}
