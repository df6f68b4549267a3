import { type Clock, type Logger, SlidingWindow, errorText, steadyClock } from '@subluminal/gateway';
import { type Notice, noticeLine } from './message.js';
import type { RunningProgram, StartProgram } from './program.js';

/** What telling the operator takes. */
export interface NotifierParts {
  /** Program and arguments; undefined: nobody is told. */
  readonly argv: () => readonly string[] | undefined;
  readonly start: StartProgram;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many may run at once. */
  readonly maxRunning?: number;
}

/** How many may run at once, where nothing else is said, and wait. */
const MAX_RUNNING = 2;
const MAX_WAITING = 16;
/** So many a minute: agents can cause notices, and must not ring without end. */
const PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 10_000;

/**
 * Tells the operator of what waits for them, by a program of their own. Nothing waits for it, and nothing
 * depends on it: what is too much is counted and not told, and the next notice says how many that were.
 */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #running = new Set<RunningProgram>();
  #waiting: Notice[] = [];
  readonly #now: Clock;
  readonly #starts = new SlidingWindow(MINUTE_MS, () => PER_MINUTE);
  #missed = 0;
  #stopped = false;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
    this.#now = steadyClock(parts.clock);
  }

  /** Never throws, and returns at once. */
  tell(notice: Notice): void {
    if (this.#parts.argv() === undefined || this.#stopped) return;
    if (this.#waiting.length >= MAX_WAITING || this.#starts.take(this.#now()) > 0) {
      this.#missed += 1;
      return;
    }
    this.#waiting.push(notice);
    this.#next();
  }

  /** Ends what runs, and tells nobody any more. */
  stop(): void {
    this.#stopped = true;
    this.#waiting = [];
    for (const program of this.#running) program.kill();
  }

  #next(): void {
    const { start, clock, log, maxRunning = MAX_RUNNING } = this.#parts;
    const argv = this.#parts.argv();
    if (argv === undefined || this.#running.size >= maxRunning) return;
    const notice = this.#waiting.shift();
    if (notice === undefined) return;
    let program: RunningProgram;
    try {
      program = start(argv, noticeLine(notice, { nowMs: clock(), missed: this.#missed }), TIMEOUT_MS);
    } catch (error) {
      log.warn('the operator could not be told', { event: notice.event, error: errorText(error) });
      this.#missed += 1;
      // What waits behind it has nobody else to be started by. There are at most as many as may wait.
      return this.#next();
    }
    this.#missed = 0;
    this.#running.add(program);
    void program.ended.then(({ ok, why }) => {
      this.#running.delete(program);
      if (!ok && !this.#stopped) log.warn('the operator was perhaps not told', { event: notice.event, why });
      this.#next();
    });
  }
}
