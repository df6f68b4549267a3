import { type Logger, errorText } from '@subluminal/gateway';
import type { Desktop } from './desktop.js';
import type { Notice } from './message.js';
import type { RunningProgram, StartProgram } from './program.js';

type Question = Extract<Notice, { event: 'approval_requested' }>;

/** The parts that telling on the desktop takes. */
export interface DesktopNoticesParts {
  /** Undefined: nobody is told there. */
  readonly desktop: () => Desktop | undefined;
  readonly start: StartProgram;
  readonly log: Logger;
}

/** One message of a run in so long; the questions in between are counted, and told together. */
const APART_MS = 10_000;
/** Runs that are told of at once, and programs that run at once. */
const MAX_RUNS = 64;
const MAX_RUNNING = 2;
const TIMEOUT_MS = 10_000;

/** A run of which a message was shown. */
interface Told {
  readonly timer: NodeJS.Timeout;
  /** How many questions came since, and the last of them. */
  count: number;
  last: Question | undefined;
}

/**
 * Shows each question on the operator's desktop, once. Nothing waits for it, and nothing depends on it: `sub
 * watch` and `sub approvals` have every question.
 */
export class DesktopNotices {
  readonly #parts: DesktopNoticesParts;
  readonly #told = new Map<string, Told>();
  readonly #running = new Set<RunningProgram>();
  #stopped = false;

  constructor(parts: DesktopNoticesParts) {
    this.#parts = parts;
  }

  /** Never throws, and returns at once. */
  tell(notice: Notice): void {
    if (notice.event !== 'approval_requested' || this.#stopped) return;
    const told = this.#told.get(notice.client);
    if (told === undefined) {
      if (this.#told.size < MAX_RUNS) this.#show(notice, 1);
      return;
    }
    told.count += 1;
    told.last = notice;
  }

  /** Ends what runs, and tells nobody any more. */
  stop(): void {
    this.#stopped = true;
    for (const { timer } of this.#told.values()) clearTimeout(timer);
    this.#told.clear();
    for (const program of this.#running) program.kill();
  }

  /** The next message of that run is one for all that it asks until then. */
  #over(client: string): void {
    const told = this.#told.get(client);
    this.#told.delete(client);
    if (told?.last !== undefined) this.#show(told.last, told.count);
  }

  #show(question: Question, count: number): void {
    const { action, client, summary } = question;
    const isBusy = this.#running.size >= MAX_RUNNING;
    const timer = setTimeout(() => this.#over(client), APART_MS).unref();
    this.#told.set(client, isBusy ? { timer, count, last: question } : { timer, count: 0, last: undefined });
    const { desktop, start, log } = this.#parts;
    const way = desktop();
    if (way === undefined || isBusy) return;
    const more = count === 1 ? '' : ` (and ${count - 1} more)`;
    const { argv, input } = way({ title: `An agent asks${more}: ${action}`.slice(0, 120), body: summary });
    try {
      const program = start(argv, input, TIMEOUT_MS);
      this.#running.add(program);
      void program.ended.then(({ ok, why }) => {
        this.#running.delete(program);
        if (!ok) log.debug('a desktop has perhaps shown no question', { why });
      });
    } catch (error) {
      log.debug('no desktop has shown a question', { error: errorText(error) });
    }
  }
}
