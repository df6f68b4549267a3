import type { AnomalyKind } from '../anomaly/flag.js';
import type { Question, QuestionSubject } from './question.js';

/** The questions about calls, as the pipeline asks and uses them. */
export interface Questions {
  /** Whether anybody is asked at all. */
  canAsk(): boolean;
  /** The question about this call that is open or answered; undefined where none is. */
  find(subject: QuestionSubject): Question | undefined;
  /** A new question; undefined where too many wait, or this run has asked too much. */
  ask(
    subject: QuestionSubject,
    words: Pick<Question, 'callId' | 'isWhole' | 'object' | 'why'>,
    isAttested: boolean,
  ): Question | undefined;
  /** The entry of a new question is durable: now people are told. */
  asked(question: Question): void;
  /** The entry of a new question could not be written: nobody was asked. */
  drop(question: Question): void;
  /** The yeses to budgets for the rest of a run. */
  raises(runId: string): readonly Question[];
  /** A call passes by its yes. A yes for one call is used up; tells whether it still held. */
  use(question: Question): boolean;
}

/** The subject of an approval. Another payload, action or client needs another approval. */
export interface ApprovalSubject {
  readonly client: string;
  readonly action: string;
  readonly payloadHash: string;
}

/** A request: the subject, and what a person reads before answering. */
export interface ApprovalInput extends ApprovalSubject {
  readonly summary: string;
  /** Where the action goes, where it goes anywhere. Not kept: the summary names it. */
  readonly destination?: string | undefined;
  readonly flags: readonly { readonly kind: AnomalyKind }[];
}

/** Questions to the operator about unusual actions, and the grants that answer them. */
export interface Grants {
  /** The same subject gets the same request while it is open. @throws SublError `overloaded` */
  request(input: ApprovalInput): {
    readonly id: string;
    readonly state: 'approved' | 'denied' | 'pending' | 'used';
    readonly expires_at: number;
  };
  /** The grant for exactly this subject: approved, unexpired, unused. */
  findGrant(subject: ApprovalSubject): { approvalId: string; grantSeq: number } | undefined;
  /** Spends a grant. @throws SublError `approval_used` unless it was approved, unexpired and unused */
  markUsed(approvalId: string): void;
}
