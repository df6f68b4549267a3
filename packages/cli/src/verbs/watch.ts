import { isSublError, listAt, SublError, textAt } from '@subluminal/core-types';
import { callsOfQuestions, follow } from '@subluminal/records';
import type { Command } from 'commander';
import { askOperator } from '../gateway/door.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import { EXIT } from '../program/exit/codes.js';
import type { Does } from '../program/verb.js';
import { LiveLines } from '../record/live-lines.js';
import { withRecord } from '../record/open.js';
import { shortRun } from '../record/lines.js';
import type { KeyAnswer } from '../watch/keys.js';
import { Watching } from '../watch/watching.js';
import { questionsIn, type ShownQuestion } from './approvals/question.js';

/** Entries after which there may be another question, or one less. */
const ABOUT_QUESTIONS: ReadonlySet<string> = new Set([
  'approval_requested',
  'approval_granted',
  'approval_denied',
]);

/**
 * `sub watch`: calls as they come, and the questions about them, answered by single keys. Nothing is drawn
 * twice, so that a screen reader or a log has the same.
 */
export function define(command: Command, does: Does): void {
  does(command, {}, async (call) => {
    await assertOutsideRun(call);
    if (!process.stdin.isTTY)
      throw new SublError('usage', 'questions are answered by keys, and there is no terminal', {
        help: '`sub tail` shows the same; `sub approvals` answers',
      });
    call.output.note('y: yes, once · r: yes, for this run · n: no · l: later · q: end');
    await watch(call);
    return EXIT.done;
  });
}

async function watch(call: Call): Promise<void> {
  const { output, session } = call;
  let goesOn = true;
  const watching = new Watching({
    answer: (question, answer) => answered(call, question, answer),
    show: (question) => output.lines(block(question)),
    tell: (line) => output.note(line),
    now: session.now,
  });
  const onKey = (text: string): void => {
    // As it came: an arrow key or a paste is several characters, and means nothing.
    watching.key(text).then(
      (more) => {
        goesOn &&= more;
      },
      (error: unknown) => {
        if (!isSublError(error)) throw error;
        output.note(error.message);
      },
    );
  };
  process.stdin.setRawMode(true).setEncoding('utf8').on('data', onKey);
  try {
    watching.take(await questions(call));
    await withRecord(call.home, async (reader) => {
      const lines = new LiveLines(reader, output, session.now);
      for await (const row of follow(reader, call.home.ledgerDb, reader.size, () => goesOn && output.open)) {
        if (row === null) output.lines(lines.slow());
        else {
          output.lines(lines.push(row));
          if (ABOUT_QUESTIONS.has(row.type)) watching.take(await questions(call));
        }
      }
    });
  } finally {
    process.stdin.off('data', onKey).setRawMode(false).pause();
  }
}

/** Those that wait; undefined while no gateway answers. */
async function questions(call: Call): Promise<readonly ShownQuestion[] | undefined> {
  try {
    const data = await askOperator(call.home, call.session.now, 'approvals.list');
    const ids = new Set(listAt(data, 'questions').map((one) => textAt(one, 'id')));
    const calls = await withRecord(call.home, (reader) => callsOfQuestions(reader, ids));
    return questionsIn(data, (id) => calls.get(id)?.seq);
  } catch (error) {
    if (!isSublError(error)) throw error;
    call.output.note(error.message);
    return undefined;
  }
}

async function answered(
  call: Call,
  { id }: ShownQuestion,
  answer: Exclude<KeyAnswer, 'later'>,
): Promise<void> {
  const [action, more] =
    answer === 'no' ? (['approvals.deny', {}] as const) : (['approvals.approve', { for: answer }] as const);
  await askOperator(call.home, call.session.now, action, { approval_id: id, ...more });
  call.output.note({ once: 'yes, once', run: 'yes, for this run', no: 'no' }[answer]);
}

/** A question as a person reads it: what exactly, why, whose. */
export function block(question: ShownQuestion): readonly string[] {
  const { id, number, tool, object, isWhole, raises, why, ruleId, runId } = question;
  return [
    '',
    `may this be done?  ${escapeText(tool)}`,
    ...(object === '' ? [] : [`  ${escapeText(object)}`]),
    `  ${escapeText(why)} (rule ${escapeText(ruleId)}, run ${shortRun(runId)})`,
    `  more: ${number === undefined ? `sub approvals show ${escapeText(id)}` : `sub show ${number}`}`,
    isWhole
      ? `  y yes, once · r ${raises ? 'the budget once more, for all its calls of' : 'yes, for'} this run · n no · l later`
      : `  not all of it is shown: sub approvals approve ${escapeText(id)} · n no · l later`,
  ];
}
