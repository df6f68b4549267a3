import { type JsonObject, SublError, textAt } from '@subluminal/core-types';
import {
  type Clock,
  type ClosedBy,
  type Question,
  type Questions as QuestionsPort,
  type QuestionSubject,
  type Reach,
  type Recorder,
  steadyClock,
} from '@subluminal/gateway';
import { answerEntry } from './answer-entry.js';
import { Closings } from './closings.js';
import type { QuestionStore } from './question-store.js';
import { reconcile, type ReconcileParts } from './reconcile.js';

/** A question is open so long, and a yes for one call good so long. */
const OPEN_MS = 900_000;
/** Questions that wait at once: of one run, and of all. */
const MAX_OF_RUN = 8;
const MAX_OF_ALL = 64;
/** Of all, kept for runs that the operator opens: whoever may open runs may open many. */
const ATTESTED_RESERVE = 16;
/** New questions of one run in a minute. */
const MAX_A_MINUTE = 8;
const MINUTE_MS = 60_000;
/** Answered ones that a list shows. */
const MAX_SHOWN = 128;
/** Questions of one run that are kept, with the answered ones. */
const MAX_KEPT = 512;

export interface QuestionsParts {
  readonly store: QuestionStore;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly isLive: (runId: string) => boolean;
  readonly canAsk: () => boolean;
  /** Whether a rule is a budget: a yes to it for the run adds to its limits. */
  readonly isLimit: (ruleId: string) => boolean;
  /** Told of each question that is new. */
  readonly onAsked: (question: Question) => void;
}

/**
 * The questions to people about calls, and their answers. A question binds the run, the rule with its text
 * and the call. One entry answers it: a yes, a no, or its closing, which is a no.
 */
export class Questions implements QuestionsPort {
  readonly #parts: QuestionsParts;
  readonly #now: Clock;
  /** Times of the last new questions of each run. */
  readonly #asked = new Map<string, number[]>();
  /** Between the look at a question and its mark lies a commit: the entry that is first wins. */
  readonly #underWay = new Set<string>();
  readonly #closings: Closings;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
    this.#now = steadyClock(parts.clock);
    this.#closings = new Closings(parts);
  }

  canAsk(): boolean {
    return this.#parts.canAsk();
  }

  /** The question about this call that is open or answered; undefined where none is. */
  find(subject: QuestionSubject): Question | undefined {
    const found = this.#parts.store.find(subject);
    // It is being answered: until then it waits.
    if (found === undefined || this.#underWay.has(found.id)) return found;
    if (found.ruleHash !== subject.ruleHash) {
      this.#close(found, 'rule_changed');
      return undefined;
    }
    if (isTimed(found) && found.expiresAt <= this.#now()) {
      this.#close(found, 'expired');
      return undefined;
    }
    return found;
  }

  /** A new question; undefined where too many wait, or this run has asked too much. */
  ask(
    subject: QuestionSubject,
    words: Pick<Question, 'callId' | 'isWhole' | 'object' | 'why'>,
    isAttested: boolean,
  ): Question | undefined {
    const now = this.#now();
    const { store } = this.#parts;
    const waiting = store.waiting(subject.runId);
    const recent = (this.#asked.get(subject.runId) ?? []).filter((then) => now - then < MINUTE_MS);
    const places = isAttested ? MAX_OF_ALL : MAX_OF_ALL - ATTESTED_RESERVE;
    const isFull = waiting.own >= MAX_OF_RUN || waiting.all >= places;
    if (isFull || recent.length >= MAX_A_MINUTE || store.count(subject.runId) >= MAX_KEPT) return undefined;
    this.#asked.set(subject.runId, [...recent, now]);
    const question: Question = {
      ...subject,
      ...words,
      id: this.#parts.newId(),
      state: 'pending',
      said: '',
      createdAt: now,
      expiresAt: now + OPEN_MS,
    };
    store.add(question);
    return question;
  }

  /** The entry of a new question is durable: now people are told. */
  asked(question: Question): void {
    this.#parts.onAsked(question);
  }

  /** The entry of a new question could not be written: nobody was asked. */
  drop({ id }: Question): void {
    this.#parts.store.drop(id);
  }

  /** A call passes by its yes. A yes for one call is used up; tells whether it still held. */
  use({ id, state }: Question): boolean {
    return state === 'run' || this.#parts.store.change(id, 'once', 'used');
  }

  raises(runId: string): readonly Question[] {
    return this.#parts.store.raises(runId);
  }

  /** All that wait, and the newest of those that are answered and hold: of runs that go on. */
  list(): readonly Question[] {
    const now = this.#now();
    const { isLive, store } = this.#parts;
    // A question of a run that is over is closed by the next sweep: nobody can answer it any more.
    const open = store.open().filter((one) => isLive(one.runId) && (!isTimed(one) || one.expiresAt > now));
    const waiting = open.filter(({ state }) => state === 'pending');
    return [...waiting, ...open.filter(({ state }) => state !== 'pending').slice(-MAX_SHOWN)];
  }

  has(id: string): boolean {
    return this.#parts.store.get(id) !== undefined;
  }

  /** A person's yes. @throws SublError as `deny` does */
  approve(id: string, reach: Reach): Promise<JsonObject> {
    return this.#answer(id, 'approval_granted', { reach }, (question) =>
      this.#agree(question, reach, this.#now() + OPEN_MS)
        ? { question: id, for: reach, raises: reach === 'run' && this.isRaise(question) }
        : undefined,
    );
  }

  /**
   * A person's no, which holds for that call for as long as the run lives. @throws SublError
   * `approval_not_found`, `approval_used`, `audit_unavailable`
   */
  deny(id: string, said: string): Promise<JsonObject> {
    return this.#answer(id, 'approval_denied', { said }, (question) =>
      this.#parts.store.change(id, 'pending', 'denied', { said }) ? { question: question.id } : undefined,
    );
  }

  /** Whether a yes for the run adds to the limits of a budget, for all calls that it counts. */
  isRaise({ ruleId }: Question): boolean {
    return this.#parts.isLimit(ruleId);
  }

  /** Brings the questions in line with the ledger: at the start, before anybody is answered. */
  reconcile(reader: ReconcileParts['reader']): void {
    const { isLive, store } = this.#parts;
    reconcile({
      store,
      reader,
      mark: (question, { how, isYes, ts }) => {
        if (isYes) this.#agree(question, how['reach'] === 'run' ? 'run' : 'once', ts + OPEN_MS);
        else if (textAt(how, 'closed') === '')
          store.change(question.id, 'pending', 'denied', { said: textAt(how, 'said') });
        else store.change(question.id, 'pending', 'closed');
      },
      close: (question) => {
        const isOver = question.expiresAt <= this.#now();
        this.#closings.add(
          question,
          isLive(question.runId) ? (isOver ? 'expired' : 'rule_changed') : 'run_ended',
        );
      },
    });
  }

  /** Closes what has expired or belongs to a run that is over, and forgets the runs that are. */
  sweep(): void {
    const now = this.#now();
    for (const question of this.#parts.store.open()) {
      if (!this.#parts.isLive(question.runId)) this.#close(question, 'run_ended');
      else if (isTimed(question) && question.expiresAt <= now) this.#close(question, 'expired');
    }
    this.#closings.retry();
    if (this.#underWay.size === 0 && this.#closings.isEmpty)
      this.#parts.store.forget(this.#parts.isLive, now - OPEN_MS);
    for (const runId of this.#asked.keys()) if (!this.#parts.isLive(runId)) this.#asked.delete(runId);
  }

  async #answer(
    id: string,
    type: 'approval_denied' | 'approval_granted',
    how: JsonObject,
    mark: (question: Question) => JsonObject | undefined,
  ): Promise<JsonObject> {
    const question = this.#parts.store.get(id);
    if (question === undefined || (question.state === 'pending' && question.expiresAt <= this.#now()))
      throw new SublError('approval_not_found', `there is no open question \`${id}\``);
    if (question.state !== 'pending' || this.#underWay.has(id))
      throw new SublError('approval_used', `the question \`${id}\` is answered or closed already`);
    this.#underWay.add(id);
    try {
      const { recorder, clock } = this.#parts;
      const result = await recorder.append({ entries: [answerEntry(type, question, clock(), how)] });
      const marked = result.ok ? mark(question) : undefined;
      if (marked !== undefined) return marked;
      if (result.ok)
        throw new SublError(
          'run_ended',
          `the question \`${id}\` was closed meanwhile: the answer has no effect`,
        );
      throw new SublError('audit_unavailable', 'the answer could not be recorded, so it has no effect');
    } finally {
      this.#underWay.delete(id);
    }
  }

  #agree(question: Question, reach: Reach, expiresAt: number): boolean {
    const { id } = question;
    // A yes to a budget for the run is about no single call: the next one past the new limit is asked about.
    const subject = reach === 'run' && this.isRaise(question) ? { subject: id } : {};
    return this.#parts.store.change(id, 'pending', reach, { expiresAt, ...subject });
  }

  /** One that waited is a no by now; a yes or a no that has held is only forgotten. */
  #close(question: Question, by: ClosedBy): void {
    const { id, state } = question;
    if (this.#underWay.has(id)) return;
    if (!this.#parts.store.change(id, state, 'closed') || state !== 'pending') return;
    this.#closings.add(question, by);
  }
}

/** A no holds for as long as its run lives, and so does a yes for the run. */
function isTimed({ state }: Question): boolean {
  return state === 'pending' || state === 'once';
}
