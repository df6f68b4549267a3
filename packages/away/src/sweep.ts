import type { Lifecycle } from '@subluminal/gateway';
import { nextTurn, unverifiedBodies } from '@subluminal/core-types';
import type { Clock } from '@subluminal/gateway';
import { errorText, type Logger } from '@subluminal/gateway';
import type { Recorder } from '@subluminal/gateway';
import type { RunRegistry } from '@subluminal/gateway';
import type { Run } from '@subluminal/gateway';
import { lateEntry } from './entries.js';
import type { FoundSpool, SpoolFolder } from './folder.js';
import type { Ingestion } from './ingest.js';

/** What is swept with. */
export interface SweepParts {
  readonly folder: SpoolFolder;
  readonly ingestion: Ingestion;
  readonly registry: RunRegistry;
  readonly recorder: Recorder;
  /** Told of a run that was behind and is not any more. */
  readonly caughtUp: (run: Run) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Spools that a gateway takes in before it listens: an honest home has fewer, and nobody waits for more. */
const BEFORE_LISTENING = 64;

/** Takes in what shims left behind that cannot bring it themselves any more. */
export class SpoolSweep implements Lifecycle {
  readonly name = 'spools';
  readonly #parts: SweepParts;
  /** Live runs with spools that are still to be taken in. */
  readonly #behind = new Set<Run>();
  #isStopped = false;
  #rest: Promise<void> = Promise.resolve();

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  /**
   * Before a gateway listens: what dead shims left of runs that live, up to a fixed number of spools. A run
   * of which more is left is behind: it makes no calls until `start` has taken in the rest, since it has to
   * be charged for that first.
   */
  async atStart(most = BEFORE_LISTENING): Promise<void> {
    let left = most;
    for (const run of this.#parts.registry.all()) {
      const found = this.#all(run);
      if (found.length > left) {
        run.behind = { isAwaited: false };
        this.#behind.add(run);
        continue;
      }
      left -= found.length;
      for (const spool of found) if (spool.isOrphan()) await this.#takeSafely(run, spool);
    }
  }

  /**
   * Takes in the rest beside everything else: of runs that are behind first, those that asked for something
   * before others; then of runs that are over.
   */
  start(): void {
    this.#rest = this.#takeRest().catch((error: unknown) => {
      // A folder that cannot be listed. Runs that are still behind stay so.
      this.#parts.log.error('spools could not be taken in', { error: errorText(error) });
    });
  }

  /** Resolves when everything that a start found has been taken in, or `stop` was called. */
  async settled(): Promise<void> {
    await this.#rest;
  }

  /** Takes in nothing more. Resolves when the spool that is in hand has been recorded. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#rest;
  }

  /** A run ends: everything, since nothing can be added to it later. Never rejects. */
  async beforeEnd(run: Run): Promise<void> {
    this.#behind.delete(run);
    await this.ofRun(run, 'all');
    this.#parts.folder.removeFolder(run.id);
  }

  /** The spools of one run. What the ledger does not take stays for the next time. Never rejects. */
  async ofRun(run: Run, which: 'orphans' | 'all'): Promise<void> {
    const found = which === 'all' ? this.#all(run) : this.#orphansOf(run);
    for (const spool of found) await this.#takeSafely(run, spool);
  }

  async #takeRest(): Promise<void> {
    const { folder, registry, caughtUp } = this.#parts;
    for (let run = this.#next(); run !== undefined; run = this.#next()) {
      // No more than lay there at once: what is put there from now on is found as ever.
      for (const spool of this.#orphansOf(run)) {
        if (this.#isStopped) return;
        await this.#takeSafely(run, spool);
        await nextTurn();
      }
      this.#behind.delete(run);
      run.behind = undefined;
      caughtUp(run);
    }
    for (const runId of folder.runs()) {
      if (this.#isStopped) return;
      if (!registry.has(runId)) await this.#late(runId);
      await nextTurn();
    }
  }

  #next(): Run | undefined {
    if (this.#isStopped) return undefined;
    let first: Run | undefined;
    for (const run of this.#behind) {
      if (run.behind?.isAwaited === true) return run;
      first ??= run;
    }
    return first;
  }

  #orphansOf(run: Run): readonly FoundSpool[] {
    return this.#all(run).filter((spool) => spool.isOrphan());
  }

  #all(run: Run): readonly FoundSpool[] {
    try {
      return this.#parts.folder.of(run.id);
    } catch (error) {
      this.#parts.log.warn('spools could not be looked for', { run: run.id, error: errorText(error) });
      return [];
    }
  }

  async #takeSafely(run: Run, found: FoundSpool): Promise<void> {
    try {
      await this.#take(run, found);
    } catch (error) {
      this.#parts.log.warn('spools could not be taken in', { run: run.id, error: errorText(error) });
    }
  }

  async #take(run: Run, found: FoundSpool): Promise<void> {
    const { folder, ingestion, log } = this.#parts;
    const { owner } = found;
    const text = folder.read(found.path);
    if (text === undefined) {
      log.warn('a spool is no private file of ours, and was removed', { run: run.id, spool: found.id });
    } else {
      const brought = {
        text,
        server: '',
        claim: undefined,
        owner,
        from: 'folder',
        request: undefined,
      } as const;
      await ingestion.ingest(run, brought);
    }
    folder.remove(found.path);
  }

  /** The run is over: what was done is told of, and nobody is charged for it any more. Never rejects. */
  async #late(runId: string): Promise<void> {
    const { folder, recorder, clock, log } = this.#parts;
    try {
      for (const { id, path } of folder.of(runId)) {
        if (this.#isStopped) return;
        const text = folder.read(path);
        if (text === undefined) {
          log.warn('a spool is no private file of ours, and was removed', { run: runId, spool: id });
        } else {
          const calls = unverifiedBodies(text).filter(({ kind }) => kind === 'begin').length;
          await recorder.append({ entries: [lateEntry(runId, clock(), id, calls)] });
        }
        folder.remove(path);
        await nextTurn();
      }
      folder.removeFolder(runId);
    } catch (error) {
      // Whatever lies there was put there by a process of the user, and must not keep a gateway from
      // starting.
      log.warn('spools of a run that has ended stay', { run: runId, error: errorText(error) });
    }
  }
}
