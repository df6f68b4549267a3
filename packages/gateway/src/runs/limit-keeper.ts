import type { Ledger } from '@subluminal/ledger';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import type { RunRegistry } from './registry.js';
import type { Run } from './run.js';
import type { LimitStore } from '../limits/limit-store.js';
import type { KeptLimits } from '../limits/run-limits.js';

/** With so many entries behind what was kept it is kept again: a start counts them in a tenth of a second. */
const WORTH_KEEPING = 16_384;

/** Where nothing was counted meanwhile a start only walks over them. */
const WORTH_MARKING = 65_536;

/** What changed is kept after so long, however little it is, and what no longer binds is let go of. */
const QUIET_MS = 30_000;

/** Nothing is kept sooner than this after the last time, and never for more than a thirtieth of the time. */
const PAUSE_MS = 1000;
const SHARE = 30;

/** A run is in the middle of something. */
const HELD_MS = 20;

/** After a failure nothing is tried for so long. */
const FAILED_MS = 60_000;

/** What is read and written. */
export interface LimitKeeperParts {
  readonly ledger: Pick<Ledger, 'onCommit' | 'head'>;
  readonly registry: Pick<RunRegistry, 'all'>;
  readonly store: Pick<LimitStore, 'write' | 'mark'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Keeps what the limits of live runs have counted, so that the next start counts only what came after. It is
 * taken from memory at one moment: everything that is durable by then is in it, and what is in it and not yet
 * durable is named. A start that finds nothing kept counts everything.
 */
export class LimitKeeper {
  readonly #parts: LimitKeeperParts;
  readonly #versions = new WeakMap<Run, number>();
  #kept: number;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #notBeforeMs = 0;
  #isOver = false;

  constructor(parts: LimitKeeperParts) {
    this.#parts = parts;
    this.#kept = parts.store.mark()?.upTo ?? 0;
  }

  /** Begins to listen. Returns the function that ends it, and keeps what there is. */
  start(): () => void {
    const stop = this.#parts.ledger.onCommit(({ last }) =>
      this.#wait(last - this.#kept >= WORTH_KEEPING ? 0 : QUIET_MS),
    );
    this.#wait(this.#parts.ledger.head().seq - this.#kept >= WORTH_KEEPING ? 0 : QUIET_MS);
    return () => {
      stop();
      this.#isOver = true;
      clearTimeout(this.#timer);
      this.#keep();
    };
  }

  #wait(ms: number): void {
    const now = performance.now();
    const due = Math.max(now + ms, this.#notBeforeMs);
    if (this.#isOver || due >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = due;
    this.#timer = setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#goOn();
    }, due - now);
    this.#timer.unref();
  }

  #goOn(): void {
    const began = performance.now();
    const done = this.#keep();
    const now = performance.now();
    const pause = done === 'failed' ? FAILED_MS : Math.max(PAUSE_MS, (now - began) * SHARE);
    this.#notBeforeMs = done === 'held' ? 0 : now + pause;
    if (done === 'held') this.#wait(HELD_MS);
  }

  #keep(): 'kept' | 'held' | 'failed' {
    const { ledger, registry, store, clock, log } = this.#parts;
    const runs = registry.all();
    if (runs.some(({ limits }) => limits.isHeld)) return 'held';
    try {
      const { seq: upTo, leaf } = ledger.head();
      const changed = new Map<string, KeptLimits>();
      const versions = new Map<Run, number>();
      for (const run of runs) {
        run.limits.prune(clock());
        if ((this.#versions.get(run) ?? 0) === run.limits.version) continue;
        changed.set(run.id, run.limits.kept(run.openCalls.values()));
        versions.set(run, run.limits.version);
      }
      const isWorthIt = changed.size > 0 || this.#isOver || upTo - this.#kept >= WORTH_MARKING;
      if (upTo === this.#kept ? changed.size === 0 : !isWorthIt) return 'kept';
      store.write({ upTo, leaf }, changed);
      for (const [run, version] of versions) this.#versions.set(run, version);
      this.#kept = upTo;
      return 'kept';
    } catch (error) {
      log.warn('the next start counts the limits that this one does not keep', { error: errorText(error) });
      return 'failed';
    }
  }
}
