import { listAt, momentAt, textAt, textsAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { table, type Cell } from '../../output/table.js';
import { ago } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';
import { shortRun } from '../../record/lines.js';

const COLUMNS = [
  { title: 'ID' },
  { title: 'ASKED' },
  { title: 'EXPIRES' },
  { title: 'BY', max: 30 },
  { title: 'ACTION' },
  { title: 'REASON', max: 40 },
  { title: 'WHAT', max: 60 },
  { title: 'STATE' },
] as const;

/** `sub approvals list`. */
export function defineList(group: Command, does: Does): void {
  does(subVerb(group, 'list', 'show what waits for an answer'), {}, async (call) => {
    const data = await askOperator(call.home, call.session.now, 'approvals.list');
    const waiting = listAt(data, 'approvals');
    if (call.output.json) {
      for (const approval of waiting) call.output.value(approval);
    } else if (waiting.length === 0) {
      call.output.line('nothing waits for an approval');
    } else {
      const rows = waiting.map((approval) => rowOf(approval, call.session.now()));
      call.output.lines(table(COLUMNS, rows, call.output));
    }
    return EXIT.done;
  });
}

function rowOf(approval: JsonObject, now: number): readonly Cell[] {
  const when = (key: string): string => {
    const moment = momentAt(approval, key);
    return moment === undefined ? '' : ago(moment, now);
  };
  const client = textAt(approval, 'client');
  return [
    { text: textAt(approval, 'id') },
    { text: when('created_at'), tone: 'dim' },
    { text: when('expires_at'), tone: 'dim' },
    { text: client === 'operator' ? client : shortRun(client) },
    { text: textAt(approval, 'action') },
    { text: textsAt(approval, 'flags').join(', ') },
    { text: textAt(approval, 'summary') },
    { text: textAt(approval, 'state'), tone: 'warn' },
  ];
}
