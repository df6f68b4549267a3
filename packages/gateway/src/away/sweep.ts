import { unverifiedBodies } from '@subluminal/core-types';
import type { Clock } from '../clock.js';
import { errorText, type Logger } from '../logging/logger.js';
import type { Recorder } from '../recording/recorder.js';
import type { RunRegistry } from '../runs/registry.js';
import type { Run } from '../runs/run.js';
import { lateEntry } from './entries.js';
import type { FoundSpool, SpoolFolder } from './folder.js';
import type { Ingestion } from './ingest.js';

/** What is swept with. */
export interface SweepParts {
  readonly folder: SpoolFolder;
  readonly ingestion: Ingestion;
  readonly registry: RunRegistry;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Takes in what shims left behind that cannot bring it themselves any more. */
export class SpoolSweep {
  readonly #parts: SweepParts;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  /** Once, before a gateway listens: of runs that live what their dead shims left, of others what is left at all. */
  async atStart(): Promise<void> {
    const { folder, registry } = this.#parts;
    for (const runId of folder.runs()) {
      const run = registry.live(runId);
      if (run !== undefined) await this.ofRun(run, 'orphans');
      else await this.#late(runId);
    }
  }

  /** A run ends: everything, since nothing can be added to it later. Never rejects. */
  async beforeEnd(run: Run): Promise<void> {
    await this.ofRun(run, 'all');
    this.#parts.folder.removeFolder(run.id);
  }

  /** The spools of one run. What the ledger does not take stays for the next time. Never rejects. */
  async ofRun(run: Run, which: 'orphans' | 'all'): Promise<void> {
    try {
      for (const found of this.#parts.folder.of(run.id)) {
        if (which === 'all' || found.isOrphan) await this.#take(run, found);
      }
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
        const text = folder.read(path);
        if (text === undefined) {
          log.warn('a spool is no private file of ours, and was removed', { run: runId, spool: id });
        } else {
          const calls = unverifiedBodies(text).filter(({ kind }) => kind === 'begin').length;
          await recorder.append({ entries: [lateEntry(runId, clock(), id, calls)] });
        }
        folder.remove(path);
      }
      folder.removeFolder(runId);
    } catch (error) {
      // Whatever lies there was put there by a process of the user, and must not keep a gateway from starting.
      log.warn('spools of a run that has ended stay', { run: runId, error: errorText(error) });
    }
  }
}
