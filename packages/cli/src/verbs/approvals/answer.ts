import { objectAt, textAt, type JsonValue } from '@subluminal/core-types';
import { askOperator } from '../../gateway/door.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';

type Answering = 'approvals.approve' | 'approvals.deny';

const ADVICE = {
  approval_not_found: '`sub approvals list` shows what is open',
  approval_used: '`sub approvals list` shows what is open',
} as const;

/** Gives an answer to a question or to a waiting action, and tells what follows from it. */
export async function answer(
  call: Call,
  action: Answering,
  payload: Readonly<Record<string, string>>,
): Promise<void> {
  const data = await give(call, action, payload);
  if (call.output.json) call.output.value(data);
  else call.output.line(told(action, payload['approval_id'] ?? '', data));
}

/** Gives an answer. @throws SublError what the gateway answers */
export function give(
  call: Call,
  action: Answering,
  payload: Readonly<Record<string, string>>,
): Promise<JsonValue> {
  return askOperator(call.home, call.session.now, action, payload, ADVICE);
}

/** The sentence of what follows from an answer that was given. */
export function told(action: Answering, id: string, data: JsonValue): string {
  return `\`${escapeText(id)}\` ${outcome(action, data)}`;
}

function outcome(action: string, data: JsonValue): string {
  const isQuestion = textAt(data, 'question') !== '';
  if (action === 'approvals.deny')
    return isQuestion ? 'denied: the same call is refused until the run ends' : 'denied';
  if (!isQuestion) return 'approved: the next attempt with the same content goes through, once';
  if (objectAt(data)?.['raises'] === true)
    return 'approved: the budget holds once more until the run ends, for every call that it counts';
  return textAt(data, 'for') === 'run'
    ? 'approved: the same call goes through until the run ends'
    : 'approved: the same call goes through, once, within 15 minutes';
}
