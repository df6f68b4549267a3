import type { BytePath } from '../files/byte-path.js';
import type { Change } from './change.js';
import { inOrder, isSameDifference, type Step } from './step.js';

/**
 * Steps of one look after the other, put together to those from before the first to behind the last. A change
 * that is taken back leaves nothing, so that files which come and go do not pile up.
 */
export class GatheredSteps {
  readonly #steps = new Map<
    BytePath,
    { readonly before: Change | undefined; readonly after: Change | undefined }
  >();

  add(steps: readonly Step[]): void {
    for (const { path, before, after } of steps) {
      const known = this.#steps.get(path);
      const first = known === undefined ? before : known.before;
      if (isSameDifference(first, after)) this.#steps.delete(path);
      else this.#steps.set(path, { before: first, after });
    }
  }

  /** The paths that differ. */
  get size(): number {
    return this.#steps.size;
  }

  /** Gives them, and begins anew. */
  take(): readonly Step[] {
    const all = [...this.#steps].map(([path, step]) => ({ path, ...step }));
    this.#steps.clear();
    return inOrder(all);
  }
}
