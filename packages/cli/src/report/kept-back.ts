import type { Report, ReportedQuestion } from '@subluminal/records';
import { CODE, COUNT, count, RULE, section } from './cells.js';
import { subjectCell } from '../record/subject-in.js';
import type { PageColumn, Section, Text } from './document.js';

const REFUSED: readonly PageColumn[] = [
  { title: 'TIMES', ...COUNT },
  { title: 'CALL', ...COUNT },
  RULE,
  { title: 'ABOUT', ...CODE },
];

/** The calls that did not run, those that would not have run, and the questions. */
export function keptBackSections({ refusals, questions }: Report, most: number): readonly Section[] {
  const row = (one: Report['refusals']['rows'][number]): readonly Text[] => [
    count(one.times, 'bad'),
    { text: String(one.seq) },
    { text: one.source },
    subjectCell(one.name, one.object ?? one.why),
  ];
  const refused = refusals.rows.filter(({ isObserved }) => !isObserved);
  const observed = refusals.rows.filter(({ isObserved }) => isObserved);
  return [
    section('Refused', { ...refusals, rows: refused }, most, REFUSED, row),
    {
      ...section('Would have been refused', { left: 0, rows: observed }, most, REFUSED, row),
      lead: 'the policy only observed: these calls ran',
    },
    section(
      'Questions',
      questions,
      most,
      [{ title: 'CALL', ...COUNT }, { title: 'ANSWER' }, RULE, { title: 'ABOUT', ...CODE }],
      (question) => [
        { text: question.seq === undefined ? '' : String(question.seq) },
        answerOf(question),
        { text: question.ruleId },
        subjectCell(question.name, question.object),
      ],
    ),
  ];
}

const CLOSED: ReadonlyMap<string, string> = new Map([
  ['expired', 'none in time'],
  ['run_ended', 'none: the run ended'],
  ['rule_changed', 'none: the rule changed'],
]);

function answerOf({ end }: ReportedQuestion): Text {
  if (end === undefined) return { text: 'open', tone: 'warn' };
  if (end.answer === 'closed') return { text: CLOSED.get(end.how) ?? end.how, tone: 'dim' };
  if (end.answer === 'no') return { text: 'no', tone: 'bad' };
  return { text: end.how === 'run' ? 'yes, for the run' : 'yes, once', tone: 'good' };
}
