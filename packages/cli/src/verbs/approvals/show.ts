import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import { pairs } from '../../output/table.js';
import { ago } from '../../output/time.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { questionNamed, questionOf, type ShownQuestion } from './question.js';

/** `sub approvals show ID`: all of a question, and how to answer it. */
export function defineShow(group: Command, does: Does): void {
  const command = subVerb(group, 'show', 'show a question, and how it can be answered');
  does(takesId(command, '<id>', 'the id that `sub approvals list` shows'), {}, async (call) => {
    const found = await questionNamed(call, call.id(0, 'id'));
    if (call.output.json) {
      call.output.value({ ...found, kind: 'question' });
      return EXIT.done;
    }
    const question = questionOf(found);
    const { output } = call;
    output.lines(pairs(told(question, call.session.now()), output.paint, output.width));
    const id = escapeText(question.id);
    output.lines([
      '',
      `sub approvals approve ${id}                this call, once`,
      `sub approvals approve ${id} --for run      until the run ends`,
      `sub approvals approve ${id} --for always   by a rule, shown before it is written`,
      `sub approvals deny ${id} --say "…"         no, and why`,
      `sub show ${escapeText(question.callId)}`,
    ]);
    return EXIT.done;
  });
}

function told(
  question: ShownQuestion,
  now: number,
): readonly (readonly [string, { readonly text: string }])[] {
  const { ruleId, why, tool, object, isWhole, runId, createdAt, expiresAt, state } = question;
  return [
    ['call', { text: tool }],
    ['what', { text: object }],
    ...(isWhole ? [] : [['shown', { text: 'not all of the call' }] as const]),
    ['why', { text: `rule ${ruleId}: ${why}` }],
    ['run', { text: runId }],
    ['asked', { text: ago(createdAt, now) }],
    ['state', { text: state === 'pending' ? `waits, and expires ${ago(expiresAt, now)}` : state }],
  ];
}
