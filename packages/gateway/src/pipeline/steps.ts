import type { ActionName, JsonObject, PayloadOf } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { AnomalyFlag } from '../anomaly/flag.js';
import type { Call } from './call.js';
import type { Outcome, Refusal } from './reply.js';

/** Nothing stands against the request at this stage. */
export type Passed = 'pass';

/** `again`: the decision no longer holds, so the request is decided from stage 3 on. */
export type Executed = Outcome | 'again';

/**
 * The way of one request through the stages, as its kind of action takes it. Every member is required: an
 * action that leaves one out does not compile, and nothing is allowed by being left out. A member may rely on
 * what the members of earlier stages have set.
 */
interface EverySteps {
  /** Stage 2½, while the operator has stopped everything. */
  readonly whenStopped: 'refused' | 'served';
  /** Stage 6, while the ledger's queue is nearly full. The operator is served then, too. */
  readonly whenFull: 'refused' | 'served';
  /**
   * The result of the action. `now`: stage 8 records it before the answer. `later`: another request brings
   * it. `none`: the entries of stage 6 are the whole record.
   */
  readonly result: 'now' | 'later' | 'none';
  /** Stage 3: tells whether the action may be done. It is asked again where the call comes back `again`. */
  decide(): Passed | Refusal | Promise<Passed | Refusal>;
  /** Stage 4: tells whether there is room for it now. It is asked once for each entry. */
  admit(): Passed | Refusal | Promise<Passed>;
  /** Stage 5: gives what is unusual about it. It is asked once for each entry. */
  unusual(): readonly AnomalyFlag[];
  /** Called when the entries of stage 6 are durable, before anything else happens. */
  recorded(): void;
  /** Stage 7: does it. A `SublError` that it throws is the refusal of the request. */
  execute(): Executed | Promise<Executed>;
  /** Called when the result of stage 8 is durable. */
  concluded(outcome: Outcome): Passed | 'again';
  /**
   * The origin that was decided on, for the question to the operator; undefined where the action reaches
   * none.
   */
  readonly place: string | undefined;
  /** Members of a refusal's entry that say where the request wanted to go, as far as that was read. */
  about(): JsonObject;
}

/** The steps of an action that is recorded before it is done. */
export interface RecordedSteps extends EverySteps {
  /**
   * Stage 6: takes places and numbers that the action needs, and gives the entries that the stage makes
   * durable in one commit; `own`: `execute` writes the record itself. `call.atEnd` gives back what was taken.
   */
  readonly record: () => readonly EntryInput[] | 'own' | Refusal;
}

/**
 * The steps of an action that shows state: it reaches nothing outside, changes nothing and is not recorded.
 */
export interface ReadSteps extends EverySteps {
  readonly result: 'none';
  readonly record: 'nothing';
}

export type Steps = RecordedSteps | ReadSteps;

/**
 * An action: begins one request, whose payload has passed the schema of the action. It has no effect by
 * itself.
 */
export type Action<P> = (call: Call, payload: P) => Steps;

/** The action of that name, with the payload that its schema gives. */
export type ActionOf<A extends ActionName> = Action<PayloadOf<A>>;
