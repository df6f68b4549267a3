import { listAt, momentAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { table, type Cell } from '../../output/table.js';
import { ago } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';

const COLUMNS = [
  { title: 'ID' },
  { title: 'HOST', max: 60, min: 16 },
  { title: 'PORT', align: 'right' },
  { title: 'PROTOCOL' },
  { title: 'STATE' },
  { title: 'PRIVATE' },
  { title: 'LABEL', max: 30, min: 6 },
  { title: 'ADDED' },
] as const;

/** `sub allow list`. */
export function defineList(group: Command, does: Does): void {
  does(subVerb(group, 'list', 'show the allowlist'), {}, async (call) => {
    const data = await askOperator(call.home, call.session.now, 'allow.list');
    const entries = listAt(data, 'entries');
    if (call.output.json) {
      for (const entry of entries) call.output.value(entry);
    } else if (entries.length === 0) {
      call.output.line('the allowlist is empty: no action reaches any host, and in enforce no connection');
    } else {
      const rows = entries.map((entry) => rowOf(entry, call.session.now()));
      call.output.lines(table(COLUMNS, rows, call.output));
    }
    return EXIT.done;
  });
}

function rowOf(entry: JsonObject, now: number): readonly Cell[] {
  const active = textAt(entry, 'is_active') === 'true';
  const added = momentAt(entry, 'added_at');
  return [
    { text: textAt(entry, 'id') },
    { text: textAt(entry, 'domain') },
    { text: textAt(entry, 'port') || 'any' },
    { text: textAt(entry, 'protocol') || 'any' },
    active ? { text: 'active', tone: 'good' } : { text: 'inactive', tone: 'dim' },
    textAt(entry, 'allow_private') === 'true' ? { text: 'yes', tone: 'warn' } : { text: 'no' },
    { text: textAt(entry, 'service_name') },
    { text: added === undefined ? '' : ago(added, now), tone: 'dim' },
  ];
}
