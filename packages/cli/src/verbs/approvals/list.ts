import { objectAt, textAt, textsAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { subjectText, subjectWithin } from '../../inbox/subject.js';
import { nameOf, waitingIn, waitingJson, type Waiting } from '../../inbox/waiting.js';
import { showList } from '../../output/listing.js';
import type { Cell } from '../../output/table.js';
import { agoAt } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';
import { shortRun } from '../../record/lines.js';
import { wordsOf } from '../tools/words.js';
import { answeredText } from './answered.js';

const COLUMNS = [
  // It is typed again: the other columns give way.
  { title: 'ID', max: 48, cut: 'middle' },
  { title: 'KIND' },
  { title: 'ASKED', spare: 3 },
  { title: 'STATE' },
  { title: 'RUN', spare: 2 },
  { title: 'WHAT', max: 60, min: 30, cut: 'middle' },
  { title: 'WHY', max: 60, min: 20 },
] as const;

/** `sub approvals list`. */
export function defineList(group: Command, does: Does): void {
  does(subVerb(group, 'list', 'show what waits for an answer'), {}, async (call) => {
    const all = await waitingIn(call);
    showList(call.output, all, {
      json: waitingJson,
      none: 'nothing waits for an answer',
      columns: COLUMNS,
      row: (one) => rowOf(one, call.session.now()),
    });
    if (!call.output.json && all.length > 0)
      call.output.note('`sub approvals show ID` shows all of one, and how it can be answered');
    return EXIT.done;
  });
}

function rowOf(one: Waiting, now: number): readonly Cell[] {
  const whose = textAt(one.facts, one.kind === 'action' ? 'client' : 'run_id');
  const state = textAt(one.facts, 'state');
  return [
    { text: nameOf(one) },
    { text: one.kind },
    { text: agoAt(one.facts, AT[one.kind], now), tone: 'dim' },
    { text: one.isOpen ? OPEN[one.kind] : answeredText(state), tone: one.isOpen ? 'warn' : 'dim' },
    { text: ['', 'operator'].includes(whose) ? whose : shortRun(whose) },
    { text: subjectText(one), within: (columns) => subjectWithin(one, columns) },
    { text: whyText(one) },
  ];
}

function whyText({ kind, facts }: Waiting): string {
  switch (kind) {
    case 'question':
      return textAt(facts, 'why');
    case 'action':
      return textsAt(facts, 'flags').join(', ');
    case 'tool':
      return wordsOf(objectAt(facts, 'reason')).what;
    case 'hint':
      return `rule ${textAt(facts, 'rule_id')}`;
  }
}

/** When it began to wait. */
const AT: Readonly<Record<Waiting['kind'], string>> = {
  question: 'created_at',
  action: 'created_at',
  tool: 'held_at',
  hint: 'ts',
};

const OPEN: Readonly<Record<Waiting['kind'], string>> = {
  question: 'waits',
  action: 'waits',
  tool: 'held',
  hint: 'refused',
};
