import { Session, type Profiler } from 'node:inspector';

/**
 * Which parts of the product ran since the last look: V8's own block coverage, read in this process. A block
 * counts once, whatever the number of times it ran.
 */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Blocks seen so far. */
  get blocks(): number {
    return this.#seen.size;
  }

  /** How many blocks ran for the first time since the last look; `keep` false leaves them unknown. */
  look(keep = true): number {
    let found = 0;
    for (const script of this.#take()) {
      if (!script.url.includes('/packages/')) continue;
      for (const { ranges } of script.functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          if (count === 0) continue;
          const block = `${script.scriptId}:${startOffset}-${endOffset}`;
          if (this.#seen.has(block)) continue;
          found += 1;
          if (keep) this.#seen.add(block);
        }
      }
    }
    return found;
  }

  /** Lets the code run at full speed again. */
  stop(): void {
    this.#post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  #take(): readonly Profiler.ScriptCoverage[] {
    let result: readonly Profiler.ScriptCoverage[] = [];
    // A session on its own thread answers before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error;
      result = taken.result;
    });
    return result;
  }

  #post(method: string, parameters: object = {}): void {
    this.#session.post(method, parameters, (error) => {
      if (error !== null) throw error;
    });
  }
}
