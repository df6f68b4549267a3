import { listAt, objectAt, textAt, textsAt, shellWord } from '@subluminal/core-types';
import type { Command } from 'commander';
import { askOperator } from '../../gateway/door.js';
import { isOutsideRun } from '../../gateway/outside-run.js';
import { NAMED, waitingNamed } from '../../inbox/named.js';
import { nameOf, waitingJson, type Waiting } from '../../inbox/waiting.js';
import { columnsOf, padded } from '../../output/columns.js';
import { escapeText } from '../../output/escape.js';
import { pairs, type Cell } from '../../output/table.js';
import { ago, agoAt } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { hintLines } from '../hints/show.js';
import { differenceLines } from '../tools/difference.js';
import { answeredText } from './answered.js';
import { questionOf } from './question.js';

/** `sub approvals show ID`: all of what waits, and how to answer it. */
export function defineShow(group: Command, does: Does): void {
  const command = subVerb(group, 'show', 'show what waits, and how it can be answered');
  does(takesId(command, '[id]', NAMED), {}, async (call) => {
    const found = await waitingNamed(call);
    const { output } = call;
    if (output.json) output.value(waitingJson(found));
    else output.lines([...(await factLines(call, found)), '', ...wayLines(found)]);
    return EXIT.done;
  });
}

type Pairs = readonly (readonly [string, Cell])[];

async function factLines(call: Call, found: Waiting): Promise<readonly string[]> {
  const { paint, width } = call.output;
  const now = call.session.now();
  const laidOut = (facts: Pairs): readonly string[] =>
    pairs(
      facts.filter(([, { text }]) => text !== ''),
      paint,
      width,
    );
  switch (found.kind) {
    case 'question':
      return laidOut(questionFacts(found, now));
    case 'action':
      return laidOut(actionFacts(found, now));
    case 'hint':
      return laidOut(hintFacts(found, now));
    case 'tool':
      return toolLines(call, found);
  }
}

function questionFacts({ id, facts, number }: Waiting, now: number): Pairs {
  const { ruleId, why, tool, object, isWhole, runId, createdAt, expiresAt, state } = questionOf(
    facts,
    number,
  );
  return [
    ['call', { text: tool }],
    ['what', { text: object }],
    ['shown', { text: isWhole ? '' : 'not all of the call' }],
    ['why', { text: `rule ${ruleId}: ${why}` }],
    ['run', { text: runId }],
    ['id', { text: id }],
    ['asked', { text: ago(createdAt, now) }],
    [
      'state',
      { text: state === 'pending' ? `waits, and expires ${ago(expiresAt, now)}` : answeredText(state) },
    ],
  ];
}

function actionFacts({ id, facts }: Waiting, now: number): Pairs {
  const of = (key: string): Cell => ({ text: textAt(facts, key) });
  return [
    ['action', of('action')],
    ['what', of('summary')],
    ['why', { text: textsAt(facts, 'flags').join(', ') }],
    ['client', of('client')],
    ['id', { text: id }],
    ['asked', { text: agoAt(facts, 'created_at', now) }],
    ['state', of('state')],
  ];
}

function hintFacts({ id, facts }: Waiting, now: number): Pairs {
  const of = (key: string): string => textAt(facts, key);
  return [
    ['call', { text: `${of('server_name')}.${of('tool_name')}` }],
    ['what', { text: of('object') }],
    ['why', { text: `rule ${of('rule_id')}: ${of('reason_code')}` }],
    ...hintLines(objectAt(facts, 'hint')),
    ['run', { text: of('run_id') }],
    ['id', { text: id }],
    ['refused', { text: agoAt(facts, 'ts', now) }],
  ];
}

/** The tool beside what was approved; it counts as looked at where a person asked. */
async function toolLines(call: Call, { facts }: Waiting): Promise<readonly string[]> {
  const data = await askOperator(call.home, call.session.now, 'tools.diff', {
    server_name: textAt(facts, 'server_name'),
    tool_name: textAt(facts, 'tool_name'),
    shown: await isOutsideRun(call),
  });
  return listAt(data, 'tools').flatMap((one) => differenceLines(one, call.output.paint));
}

const BY_RULE = 'by a rule, shown before it is written';
const HIGHER = 'by higher limits in the file, shown before they are written';
const ONCE_MORE = 'the budget once more, for all calls of the run that it counts';

/** Every way to answer what is open, each with what follows. */
function wayLines(found: Waiting): readonly string[] {
  const name = shellWord(escapeText(nameOf(found)));
  const ways = [
    ...(found.isOpen ? waysOf(found) : []).map(
      ([verb, more, what]) => [`sub approvals ${verb} ${name}${more}`, what] as const,
    ),
    ...(found.number === undefined
      ? []
      : [[`sub show ${found.number}`, 'all that is recorded of the call'] as const]),
  ];
  const width = Math.max(...ways.map(([command]) => columnsOf(command)));
  return ways.map(([command, what]) => `${padded(command, width)}  ${what}`);
}

function waysOf({ kind, facts }: Waiting): readonly (readonly [string, string, string])[] {
  switch (kind) {
    case 'question':
      return [
        ['approve', '', 'this call, once'],
        ['approve', ' --for run', facts['raises'] === true ? ONCE_MORE : 'until the run ends'],
        ['approve', ' --for always', facts['raises'] === true ? HIGHER : BY_RULE],
        ['deny', ' --say "…"', 'no, and why'],
      ];
    case 'action':
      return [
        ['approve', '', 'this payload, once'],
        ['deny', '', 'no'],
      ];
    case 'hint':
      return [
        ['approve', ' --for run', 'until the run ends'],
        ['approve', ' --for always', BY_RULE],
      ];
    case 'tool':
      return [['approve', '', 'as it is shown here']];
  }
}
