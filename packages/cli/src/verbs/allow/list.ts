import { listAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { showList } from '../../output/listing.js';
import type { Cell } from '../../output/table.js';
import { agoAt } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';

const COLUMNS = [
  { title: 'HOST', max: 80, min: 30, cut: 'middle' },
  { title: 'PORT', align: 'right' },
  { title: 'PROTOCOL' },
  { title: 'STATE' },
  { title: 'PRIVATE' },
  { title: 'ADDED', spare: 1 },
  { title: 'LABEL', max: 30, min: 8, spare: 2 },
  { title: 'ID', spare: 3 },
] as const;

/** `sub allow list`. */
export function defineList(group: Command, does: Does): void {
  does(subVerb(group, 'list', 'show the allowlist'), {}, async (call) => {
    const data = await askOperator(call.home, call.session.now, 'allow.list');
    showList(call.output, listAt(data, 'entries'), {
      json: (entry) => entry,
      none: 'the allowlist is empty: no action reaches any host, and in enforce no connection',
      columns: COLUMNS,
      row: (entry) => rowOf(entry, call.session.now()),
    });
    return EXIT.done;
  });
}

function rowOf(entry: JsonObject, now: number): readonly Cell[] {
  const active = textAt(entry, 'is_active') === 'true';
  return [
    { text: textAt(entry, 'domain') },
    { text: textAt(entry, 'port') || 'any' },
    { text: textAt(entry, 'protocol') || 'any' },
    active ? { text: 'active', tone: 'good' } : { text: 'inactive', tone: 'dim' },
    textAt(entry, 'allow_private') === 'true' ? { text: 'yes', tone: 'warn' } : { text: 'no' },
    { text: agoAt(entry, 'added_at', now), tone: 'dim' },
    { text: textAt(entry, 'service_name') === textAt(entry, 'domain') ? '' : textAt(entry, 'service_name') },
    { text: textAt(entry, 'id'), tone: 'dim' },
  ];
}
