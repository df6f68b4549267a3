import { canonicalize, type FindValues, previewOf, type ToolCallBeginPayload } from '@subluminal/core-types';
import type { PolicySnapshot } from '@subluminal/policy';
import { objectText, tellingLookAlikes } from '@subluminal/readings/facts';
import { askHash } from '../../approvals/asked-rule.js';
import type { Question, QuestionSubject } from '../../approvals/question.js';
import type { Questions } from '../../approvals/port.js';
import type { Inspection } from './entries.js';
import { essential, subjectHash } from './subject.js';
import { judgeCall, type CallFacts, type JudgeParts, type Verdict } from '../../runs/judge.js';
import type { Run } from '../../runs/run.js';

/** Rules that ask about one call, one below the other. */
const MAX_RULES = 8;
/** The longest object of a question, in bytes. */
const MAX_OBJECT = 1000;
/** The longest text of the folder, and of the other arguments, in bytes. */
const MAX_BESIDE = 600;
/** Enough to push what follows out of sight. */
const BLANKS = /[\p{Zs}\u2800]{24,}/gu;

/** The answer to a call, and the question that goes with it where it is a new one. */
export interface Asked {
  readonly verdict: Verdict;
  readonly question: Question | undefined;
  /** The questions whose yes took a rule out. */
  readonly agreed: readonly Question[];
}

export interface AskingParts extends JudgeParts {
  readonly questions: Questions;
  readonly inspection: () => Pick<Inspection, 'valuesOf'>;
}

/**
 * Judges a call, and asks a person where a rule says so. A yes takes that rule out for this call and
 * evaluation goes on below it: a deny or a limit there still refuses. A yes for one call is used up by the
 * call that passes, and by no other.
 */
export function judgeAsking(
  parts: AskingParts,
  run: Run,
  payload: ToolCallBeginPayload,
  facts: CallFacts,
): Asked {
  const { questions } = parts;
  const canAsk = !run.isStrict && questions.canAsk();
  const yes: Question[] = [];
  for (;;) {
    const agreed = yes.map(({ ruleId }) => ruleId);
    const verdict = judgeCall(parts, run, payload, { ...facts, canAsk, agreed });
    if (verdict.asks === undefined)
      return { verdict: byYes(questions, verdict, yes), question: undefined, agreed: yes };
    const subject = subjectOf(run, verdict.snapshot, verdict.asks, payload, facts.argsHash);
    const found = questions.find(subject);
    if (!isYes(found)) return { ...askedNow(parts, run, payload, { verdict, subject, found }), agreed: yes };
    if (yes.length === MAX_RULES) return { verdict: tooMany(verdict), question: undefined, agreed: yes };
    yes.push(found);
  }
}

function isYes(found: Question | undefined): found is Question {
  return found !== undefined && found.state !== 'denied' && found.state !== 'pending';
}

/** The answer to a call that no rule asks about, or all of whose questions have their yes. */
function byYes(questions: Questions, verdict: Verdict, yes: readonly Question[]): Verdict {
  if (verdict.effective.action !== 'ALLOW' || yes.length === 0) return verdict;
  // Another call has used it up in this very turn.
  if (!yes.every((question) => questions.use(question)))
    return refused(verdict, 'APPROVAL_USED', 'the yes was used');
  return { ...verdict, facts: { approvals: yes.map(({ id }) => id), ...verdict.facts } };
}

/** The answer to a call whose question has no yes; a question that nobody was asked before is put. */
function askedNow(
  { questions, inspection }: AskingParts,
  run: Run,
  payload: ToolCallBeginPayload,
  { verdict, subject, found }: { verdict: Verdict; subject: QuestionSubject; found: Question | undefined },
): Omit<Asked, 'agreed'> {
  if (found?.state === 'denied')
    return { verdict: refused(verdict, 'APPROVAL_DENIED', no(found)), question: undefined };
  if (found !== undefined) return { verdict: waiting(verdict, found), question: undefined };
  const { isWhole, object } = objectOf(payload, inspection().valuesOf(run.id));
  const why = verdict.effective.summary;
  const words = { callId: payload.call_id, isWhole, object: tellingLookAlikes(object), why };
  const question = questions.ask(subject, words, run.attested);
  if (question === undefined) return { verdict: tooMany(verdict), question };
  return { verdict: waiting(verdict, question), question };
}

function tooMany(verdict: Verdict): Verdict {
  const why = `${verdict.effective.summary}; too many questions wait for an answer`;
  return refused(verdict, 'TOO_MANY_QUESTIONS', why);
}

function subjectOf(
  run: Run,
  snapshot: PolicySnapshot,
  ruleId: string,
  payload: ToolCallBeginPayload,
  argsHash: string,
): QuestionSubject {
  const ruleHash = askHash(snapshot, ruleId);
  if (ruleHash === undefined) throw new Error('the rule that asks is none that does');
  return {
    runId: run.id,
    ruleId,
    ruleHash,
    server: payload.server_name,
    tool: payload.tool_name,
    subject: subjectHash(payload, argsHash),
  };
}

/**
 * The call as a person reads it: its object, the folder that it is made in, and the start of what else it
 * says, as what an edit writes; all arguments where none is an object. `isWhole`: nothing of it is cut, and
 * nothing of the object redacted.
 */
function objectOf(payload: ToolCallBeginPayload, values: FindValues): Pick<Question, 'isWhole' | 'object'> {
  const { server_name: server, tool_name: tool, cwd } = payload;
  const args = essential(payload);
  if (args === undefined) return { object: '', isWhole: false };
  const said = objectText(server, tool, args);
  const all = squeezed(said ?? canonicalize(args));
  const { text, truncated } = previewOf(all, MAX_OBJECT, values);
  const where = cwd === undefined ? '' : ` in ${previewOf(squeezed(cwd), MAX_BESIDE, values).text}`;
  const object = `${text}${truncated ? ' … (cut)' : ''}${where}`;
  const isWhole = text === all;
  // The one argument that the object is. Another with the same value is no less to be read.
  const shown = Object.entries(args).findIndex(
    ([key, value]) => value === said && objectText(server, tool, { [key]: value }) === said,
  );
  const rest = Object.entries(args).filter((_, at) => at !== shown);
  if (said === null || rest.length === 0) return { object, isWhole };
  const beside = previewOf(squeezed(canonicalize(Object.fromEntries(rest))), MAX_BESIDE, values);
  return {
    object: `${object} with ${beside.text}${beside.truncated ? ' …' : ''}`,
    isWhole: isWhole && !beside.truncated,
  };
}

/** A text without blanks that push the rest of it out of sight. */
function squeezed(text: string): string {
  return text.replaceAll(BLANKS, (blanks) => ` (${blanks.length} blanks) `);
}

function no({ said, why }: Question): string {
  return said === '' ? `a person said no: ${why}` : `a person said no: ${said}`;
}

function waiting(verdict: Verdict, { id, expiresAt }: Question): Verdict {
  const { effective } = verdict;
  if (effective.hint === undefined) throw new Error('a question has no hint');
  const approval = { id, expires_at: new Date(expiresAt).toISOString() };
  const until = `${approval.expires_at.slice(0, 16).replace('T', ' ')} UTC`;
  const hint_text = `a person was asked and has until ${until} to answer, else it is a no; ${effective.hint.hint_text}`;
  const decision = { ...effective, hint: { ...effective.hint, hint_text, approval } };
  return { ...verdict, effective: decision, ruled: decision };
}

/** The question is answered, or cannot be put: a refusal in its place. */
function refused(verdict: Verdict, reason_code: string, summary: string): Verdict {
  const { rule_id, severity } = verdict.effective;
  const decision = { action: 'BLOCK', rule_id, severity, reason_code, summary } as const;
  return { ...verdict, effective: decision, ruled: decision, asks: undefined };
}
