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
  { title: 'STATE' },
  { title: 'RUN' },
  { title: 'WHAT', max: 60 },
  { title: 'WHY', max: 60 },
] as const;

/** `sub approvals list`. */
export function defineList(group: Command, does: Does): void {
  does(subVerb(group, 'list', 'show what waits for an answer'), {}, async (call) => {
    const data = await askOperator(call.home, call.session.now, 'approvals.list');
    const questions = listAt(data, 'questions').map((one) => ({ ...one, kind: 'question' }));
    const actions = listAt(data, 'approvals').map((one) => ({ ...one, kind: 'action' }));
    showList(call.output, [...questions, ...actions], {
      json: (one) => one,
      none: 'nothing waits for an answer',
      columns: COLUMNS,
      row: (one) => rowOf(one, call.session.now()),
    });
    if (!call.output.json && questions.length > 0)
      call.output.note('`sub approvals show ID` shows all of a question, and how it can be answered');
    return EXIT.done;
  });
}

function rowOf(one: JsonObject, now: number): readonly Cell[] {
  const of = (name: string): string => textAt(one, name);
  const isQuestion = of('kind') === 'question';
  const whose = isQuestion ? of('run_id') : of('client');
  const tool = isQuestion ? `${of('server_name')}.${of('tool_name')}` : of('action');
  return [
    { text: of('id') },
    { text: agoAt(one, 'created_at', now), tone: 'dim' },
    { text: WORDS.get(of('state')) ?? of('state'), tone: 'warn' },
    { text: whose === 'operator' ? whose : shortRun(whose) },
    { text: [tool, isQuestion ? of('object') : of('summary')].filter((part) => part !== '').join(' ') },
    { text: isQuestion ? of('why') : textsAt(one, 'flags').join(', ') },
  ];
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['pending', 'waits'],
  ['once', 'yes, once'],
  ['run', 'yes, run'],
  ['denied', 'no'],
]);
