import { valueAt, canonicalize, objectAt, SublError, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  callIdOf,
  findCallStart,
  hintJson,
  hintOfCall,
  recordOf,
  type HintRecord,
} from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { pairs, type Cell } from '../../output/table.js';
import { wholeTime } from '../../output/time.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { nameOf, reasonOf } from '../../record/lines.js';
import { withRecord } from '../../record/open.js';

/** `sub hints show CALL`: what one refused call was told. Works without a gateway. */
export function defineShow(group: Command, does: Does): void {
  const command = subVerb(group, 'show', 'show the hint that a call was given');
  does(takesId(command, '<call>', 'the id of the call, or the number of its entry'), {}, async (call) => {
    const { output } = call;
    const hint = await withRecord(call.home, (reader) => findHint(reader, call.id(0, 'call')));
    if (output.json) output.value(hintJson(hint));
    else {
      output.lines(pairs(lines(hint), output.paint, output.width));
      output.note(`\`sub why ${hint.call?.first.seq ?? callIdOf(hint.row)}\` says how to go on`);
    }
    return EXIT.done;
  });
}

function findHint(reader: LedgerReader, named: string): HintRecord {
  const start = findCallStart(reader, named);
  if (start === undefined) {
    throw new SublError('not_found', `there is no call \`${named}\``, {
      help: '`sub hints list` lists the calls that were given a hint',
    });
  }
  const found = hintOfCall(reader, recordOf(reader, start));
  if (found !== undefined) return found;
  throw new SublError('not_found', `call \`${named}\` was given no hint`, {
    help: '`sub show CALL` says what became of it',
  });
}

/** A hint in lines for `pairs`: its words, the tool to call instead, when to try again. */
export function hintLines(hint: JsonObject): readonly (readonly [string, Cell])[] {
  const suggested = valueAt(hint, 'suggested_args');
  return [
    ['hint', { text: textAt(hint, 'hint_text'), tone: 'bold' }],
    ['kind', { text: textAt(hint, 'hint_kind') }],
    ['instead', { text: suggested === null ? '' : `arguments ${canonicalize(suggested)}` }],
    ['again', { text: textAt(hint, 'retry_advice') }],
  ];
}

function lines({ row, call, promoted }: HintRecord): readonly (readonly [string, Cell])[] {
  const all: readonly (readonly [string, Cell])[] = [
    ['what', { text: call === null ? '' : nameOf(call), tone: 'bold' }],
    ['why', { text: call === null ? '' : reasonOf(call) }],
    ...hintLines(objectAt(row.data, 'hint')),
    ['run', { text: row.runId ?? '' }],
    ['call', { text: callIdOf(row) }],
    ['when', { text: wholeTime(row.ts) }],
    [
      'promoted',
      promoted === null
        ? { text: 'no' }
        : { text: `${wholeTime(promoted.ts)}, entry ${promoted.seq}`, tone: 'good' },
    ],
  ];
  return all.filter(([, cell]) => cell.text !== '');
}
