import { rmSync } from 'node:fs';
import { redact } from '@subluminal/core-types';
import { readPanicMark, writePanicMark, type PanicMark } from '@subluminal/ipc';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import type { Recorder } from '../recording/recorder.js';
import type { RunEnding, RunLifecycle } from '../runs/lifecycle.js';
import type { RunRegistry } from '../runs/registry.js';
import type { Run } from '../runs/run.js';
import type { PanicStore } from './panic-store.js';

/** What stopping everything needs. */
export interface PanicParts {
  readonly store: PanicStore;
  /** The file in the home that shims look for before they decide anything alone. */
  readonly markPath: string;
  readonly recorder: Recorder;
  readonly registry: Pick<RunRegistry, 'all'>;
  readonly lifecycle: Pick<RunLifecycle, 'end'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The operator's brake. While it is on every run has ended or is ending, and nothing begins; only the
 * operator is served. It outlives the gateway: in `gateway.db`, and as a mark in the home that may stand
 * there before a gateway runs. Nothing that fails on the way lets go of it.
 */
export class Panic {
  readonly #parts: PanicParts;
  #current: PanicMark | undefined;

  constructor(parts: PanicParts) {
    this.#parts = parts;
    this.#current = parts.store.read();
  }

  /** Since when and why everything is stopped; undefined while it is not. */
  get current(): PanicMark | undefined {
    return this.#current;
  }

  /**
   * Takes up, before anybody is served, what was stopped earlier. A mark that nobody recorded yet is
   * recorded.
   */
  async atStart(): Promise<void> {
    const { markPath, clock } = this.#parts;
    const mark = readPanicMark(markPath, clock());
    if (this.#current !== undefined) {
      writePanicMark(markPath, this.#current);
      await this.#endRuns();
    } else if (mark !== undefined) await this.#begin(mark, 'mark');
  }

  /** Stops everything. Resolves with how many runs that ended, or failed to end and are tried again. */
  async begin(reason: string): Promise<number> {
    if (this.#current !== undefined) return this.#endRuns();
    return this.#begin({ sinceMs: this.#parts.clock(), reason }, 'operator');
  }

  /** Lets go, once that is recorded. Tells whether anything was stopped. Throws `audit_unavailable`. */
  async end(): Promise<boolean> {
    const { store, markPath, recorder, clock } = this.#parts;
    const current = this.#current;
    if (current === undefined) return false;
    const data = { since: new Date(current.sinceMs).toISOString() };
    await recorder.append({ entries: [{ type: 'resumed', ts: clock(), runId: null, data }] });
    // The mark first: a gateway that dies here is stopped still when it is back.
    rmSync(markPath, { force: true, recursive: true });
    store.clear();
    this.#current = undefined;
    return true;
  }

  /** How a run ends that had begun when everything was stopped. */
  get ending(): RunEnding {
    const reason = this.#current?.reason ?? '';
    const message =
      reason === '' ? 'the operator stopped everything' : `the operator stopped everything: ${reason}`;
    return { status: 'TERMINATED', cause: 'panic', message };
  }

  async #begin(given: PanicMark, by: 'operator' | 'mark'): Promise<number> {
    const { store, markPath, recorder, clock, log } = this.#parts;
    const mark = { sinceMs: given.sinceMs, reason: redact(given.reason).text };
    // From here on nothing begins, whatever fails below.
    this.#current = mark;
    this.#attempt('kept in gateway.db', () => store.write(mark));
    this.#attempt('marked in the home', () => writePanicMark(markPath, mark));
    const data = { reason: mark.reason, by, since: new Date(mark.sinceMs).toISOString() };
    const recorded = recorder.append({ entries: [{ type: 'panicked', ts: clock(), runId: null, data }] });
    const ended = await this.#endRuns();
    try {
      await recorded;
    } catch (error) {
      log.error('that everything is stopped could not be recorded', { error: errorText(error) });
    }
    return ended;
  }

  async #endRuns(): Promise<number> {
    const { registry, lifecycle, log } = this.#parts;
    const runs = registry.all();
    await Promise.all(
      runs.map((run: Run) =>
        lifecycle.end(run, this.ending).catch((error: unknown) => {
          log.error('a run could not be ended', { run: run.id, error: errorText(error) });
        }),
      ),
    );
    return runs.length;
  }

  #attempt(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.log.error(`that everything is stopped could not be ${what}`, { error: errorText(error) });
    }
  }
}
