import { canonicalize, redact, sha256Hex, startOf, type ToolCallBeginPayload } from '@subluminal/core-types';
import type { PolicySnapshot } from '@subluminal/policy';
import { objectText } from '@subluminal/readings/facts';
import type { Question, QuestionSubject } from '../../questions/question.js';
import type { Questions } from '../../questions/questions.js';
import { subjectHash } from '../../questions/subject.js';
import { judgeCall, type JudgeParts, type Verdict } from '../../runs/judge.js';
import type { Run } from '../../runs/run.js';

/** Rules that ask about one call, one below the other. */
const MAX_RULES = 8;
/** The longest object of a question, in characters. */
const MAX_OBJECT = 500;

/** The answer to a call, and the question that goes with it where it is a new one. */
export interface Asked {
  readonly verdict: Verdict;
  readonly question: Question | undefined;
}

/**
 * Judges a call, and asks a person where a rule says so. A yes takes that rule out for this call and
 * evaluation goes on below it: a deny or a limit there still refuses. A yes for one call is used up by the
 * call that passes, and by no other.
 */
export function judgeAsking(
  parts: JudgeParts & { readonly questions: Questions },
  run: Run,
  payload: ToolCallBeginPayload,
  asked: Omit<Parameters<typeof judgeCall>[3], 'agreed' | 'canAsk'>,
): Asked {
  const { questions } = parts;
  const canAsk = !run.noSnapshots;
  const yes: Question[] = [];
  for (;;) {
    const agreed = yes.map(({ ruleId }) => ruleId);
    const verdict = judgeCall(parts, run, payload, { ...asked, canAsk, agreed });
    if (verdict.asks === undefined) {
      const holds = verdict.effective.action !== 'ALLOW' || yes.every((question) => questions.use(question));
      // Another call has used it up in this very turn.
      return {
        verdict: holds ? verdict : refused(verdict, 'APPROVAL_USED', 'the yes was used'),
        question: undefined,
      };
    }
    const subject = subjectOf(run, verdict.snapshot, verdict.asks, payload, asked.argsHash);
    const found = questions.find(subject);
    if (found !== undefined && (found.state === 'once' || found.state === 'run') && yes.length < MAX_RULES)
      yes.push(found);
    else if (found?.state === 'denied')
      return { verdict: refused(verdict, 'APPROVAL_DENIED', no(found)), question: undefined };
    else if (found !== undefined) return { verdict: waiting(verdict, found), question: undefined };
    else {
      const why = verdict.effective.summary;
      const question = questions.ask(subject, { callId: payload.call_id, object: objectOf(payload), why });
      if (question !== undefined) return { verdict: waiting(verdict, question), question };
      const many = `${why}; too many questions wait for an answer`;
      return { verdict: refused(verdict, 'TOO_MANY_QUESTIONS', many), question: undefined };
    }
  }
}

function subjectOf(
  run: Run,
  { rules, places, plain }: PolicySnapshot,
  ruleId: string,
  payload: ToolCallBeginPayload,
  argsHash: string,
): QuestionSubject {
  const at = places.get(ruleId) ?? -1;
  if (rules[at]?.kind !== 'ask') throw new Error('the rule that asks is none that does');
  return {
    runId: run.id,
    ruleId,
    ruleHash: sha256Hex(canonicalize(plain.rules[at])),
    server: payload.server_name,
    tool: payload.tool_name,
    subject: subjectHash(payload, argsHash),
  };
}

/** The call as a person reads it. */
function objectOf({ server_name: server, tool_name: tool, args }: ToolCallBeginPayload): string {
  const text = args === undefined ? null : objectText(server, tool, args);
  return text === null ? '' : startOf(redact(text).text, MAX_OBJECT);
}

function no({ said, why }: Question): string {
  return said === '' ? `a person said no: ${why}` : `a person said no: ${said}`;
}

function waiting(verdict: Verdict, { id, expiresAt }: Question): Verdict {
  const { effective } = verdict;
  if (effective.hint === undefined) throw new Error('a question has no hint');
  const approval = { id, expires_at: new Date(expiresAt).toISOString() };
  const hint_text = `a person was asked and has until ${approval.expires_at} to answer; ${effective.hint.hint_text}`;
  const decision = { ...effective, hint: { ...effective.hint, hint_text, approval } };
  return { ...verdict, effective: decision, ruled: decision };
}

/** The question is answered, or cannot be put: a refusal in its place. */
function refused(verdict: Verdict, reason_code: string, summary: string): Verdict {
  const { rule_id, severity } = verdict.effective;
  const decision = { action: 'BLOCK', rule_id, severity, reason_code, summary } as const;
  return { ...verdict, effective: decision, ruled: decision, asks: undefined };
}
