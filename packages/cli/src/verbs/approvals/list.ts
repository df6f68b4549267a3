import { listAt, textAt, textsAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { showList } from '../../output/listing.js';
import type { Cell } from '../../output/table.js';
import { agoAt } from '../../output/time.js';
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
    showList(call.output, listAt(data, 'approvals'), {
      json: (approval) => approval,
      none: 'nothing waits for an approval',
      columns: COLUMNS,
      row: (approval) => rowOf(approval, call.session.now()),
    });
    return EXIT.done;
  });
}

function rowOf(approval: JsonObject, now: number): readonly Cell[] {
  const client = textAt(approval, 'client');
  return [
    { text: textAt(approval, 'id') },
    { text: agoAt(approval, 'created_at', now), tone: 'dim' },
    { text: agoAt(approval, 'expires_at', now), tone: 'dim' },
    { text: client === 'operator' ? client : shortRun(client) },
    { text: textAt(approval, 'action') },
    { text: textsAt(approval, 'flags').join(', ') },
    { text: textAt(approval, 'summary') },
    { text: textAt(approval, 'state'), tone: 'warn' },
  ];
}
