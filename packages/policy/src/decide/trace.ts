/** What became of one rule, or of the default, while a call was decided. */
export interface TraceStep {
  /** Null for the steps that belong to no rule. */
  readonly rule_id: string | null;
  readonly kind: 'allow' | 'deny' | 'tag' | 'default' | 'selectors';
  readonly outcome: TraceOutcome;
  /** The field of the match that settled it, where one did. Never a value of the call. */
  readonly field?: string;
  /** What else there is to say. */
  readonly note?: string;
}

/**
 * `not_inspected`: an allow that would need arguments that nobody inspected. `tagged_unseen`: a tag given for the same
 * reason only as a possibility.
 */
export type TraceOutcome =
  | 'disabled'
  | 'not_matched'
  | 'not_inspected'
  | 'tagged'
  | 'tagged_unseen'
  | 'allowed'
  | 'blocked'
  | 'error';

/** The trace of a decision as lines for people, in the order in which the rules were asked. */
export function explainDecision(trace: readonly TraceStep[]): readonly string[] {
  return trace.map((step, at) => `${at + 1}. ${subject(step)}: ${outcomeText(step)}`);
}

function subject(step: TraceStep): string {
  if (step.kind === 'selectors') return 'selectors';
  return step.kind === 'default' ? 'no rule decided' : `${step.kind} \`${step.rule_id ?? ''}\``;
}

function outcomeText({ outcome, field, note }: TraceStep): string {
  const where = field === undefined ? '' : ` (${field})`;
  const more = note === undefined ? '' : `: ${note}`;
  switch (outcome) {
    case 'disabled':
      return 'disabled, skipped';
    case 'not_matched':
      return `does not match${where}`;
    case 'not_inspected':
      return `cannot match, the arguments were not inspected${where}`;
    case 'tagged':
      return `matches, adds${more === '' ? ' nothing' : more.slice(1)}`;
    case 'tagged_unseen':
      return `may match, the arguments were not inspected${where}; may add${more.slice(1)}`;
    case 'allowed':
      return `allows${more}`;
    case 'blocked':
      return `blocks${more}`;
    case 'error':
      return `failed${where}${more}`;
  }
}
