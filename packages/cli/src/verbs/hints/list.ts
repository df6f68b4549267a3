import type { Command } from 'commander';
import { textAt } from '@subluminal/core-types';
import { callIdOf, findRun, hintJson, hints, type HintRecord } from '@subluminal/records';
import { EXIT } from '../../program/exit/codes.js';
import { noteMore, showList } from '../../output/listing.js';
import type { Output } from '../../output/output.js';
import type { Cell } from '../../output/table.js';
import { ago } from '../../output/time.js';
import { string, whole } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { shortRun } from '../../record/lines.js';
import { assertListable, noteMissing } from '../../record/missing.js';
import { withRecord } from '../../record/open.js';

const COLUMNS = [
  { title: 'SEQ', align: 'right' },
  { title: 'WHEN' },
  { title: 'RUN', spare: 1 },
  { title: 'WHAT', max: 50, min: 24, cut: 'middle' },
  { title: 'RULE', max: 40, min: 12 },
  { title: 'PASS' },
  { title: 'HINT', max: 100, min: 16 },
  { title: 'CALL', max: 64, spare: 2 },
] as const;

const FLAGS = {
  run: string('<id>', 'of this run'),
  limit: whole('<n>', 'how many at most (1 to 1000, default 50)', 1, 1000),
  cursor: whole('<seq>', 'go on below this entry (the last page names it)', 1),
};

/** `sub hints list`: the hints that were given, newest first. Works without a gateway. */
export function defineList(group: Command, does: Does): void {
  does(subVerb(group, 'list', 'list the hints that refused calls were given'), FLAGS, async (call) => {
    const { output, session } = call;
    const limit = call.flags.limit ?? 50;
    const cursor = call.flags.cursor ?? null;
    await withRecord(call.home, (reader) => {
      assertListable(reader, cursor);
      const named = call.flags.run;
      const run = named === undefined ? undefined : findRun(reader, named);
      const { hints: found, next } = hints(reader, run, limit, cursor);
      showHints(output, found, session.now());
      if (found.length > 0 && !output.json) output.note('`sub why SEQ` says how to go on after one');
      noteMore(output, next);
      if (next === null && !output.json) noteMissing(output, reader);
    });
    return EXIT.done;
  });
}

/** Hints as people read them; PASS says whether calls like it are let through by now. */
export function showHints(output: Output, found: readonly HintRecord[], now: number): void {
  showList(output, found, {
    json: hintJson,
    none: 'no hint was given',
    columns: COLUMNS,
    row: (hint) => rowOf(hint, now),
  });
}

function rowOf({ row, call, promoted }: HintRecord, now: number): readonly Cell[] {
  return [
    { text: String(call?.first.seq ?? row.seq), tone: 'dim' },
    { text: ago(row.ts, now) },
    { text: shortRun(row.runId), tone: 'dim' },
    { text: Array.isArray(row.tool) ? row.tool.join('.') : '' },
    { text: textAt(call?.decision?.data ?? null, 'decision', 'rule_id') },
    promoted === null ? { text: 'no', tone: 'dim' } : { text: 'yes', tone: 'good' },
    { text: textAt(row.data, 'hint', 'hint_text') },
    { text: callIdOf(row), tone: 'dim' },
  ];
}
