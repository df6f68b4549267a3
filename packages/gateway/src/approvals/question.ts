/** How far a yes goes: for the next call, or for every same call of the run. */
export type Reach = 'once' | 'run';

/**
 * The call and the rule that a question binds: another call, rule or text of the rule is another question.
 */
export interface QuestionSubject {
  readonly runId: string;
  readonly ruleId: string;
  /** SHA-256 of the rule as it was when it asked. */
  readonly ruleHash: string;
  readonly server: string;
  readonly tool: string;
  /** SHA-256 of what is asked about; see `subject.ts`. */
  readonly subject: string;
}

/** A question to a person about one call. Times are epoch ms. */
export interface Question extends QuestionSubject {
  readonly id: string;
  /** The call that was refused for it. */
  readonly callId: string;
  /**
   * The command, files or query of the call, else its arguments, redacted; empty where none were inspected.
   */
  readonly object: string;
  /** The command, files or query are neither cut nor redacted. */
  readonly isWhole: boolean;
  /** The sentence of the rule. */
  readonly why: string;
  readonly state: QuestionState;
  /** The words of a no. */
  readonly said: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * `once` and `run`: answered yes. `used`: the one call was made. `closed`: it expired, its run ended, or the
 * rule is another one now; that is a no.
 */
export type QuestionState = 'closed' | 'denied' | 'once' | 'pending' | 'run' | 'used';

/** Why a question is closed without an answer. */
export type ClosedBy = 'expired' | 'rule_changed' | 'run_ended';
