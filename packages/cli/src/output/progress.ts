import type { Output } from './output.js';
import { span } from './time.js';

const REDRAW_MS = 100;
const QUIET_MS = 300;

/** Shows how far long work is. Silent where nobody watches, and in the first moments. */
export interface Progress {
  update(done: number, total: number): void;
  end(): void;
}

/** A progress line on stderr, for a terminal only; it is gone when the work is done. */
export function progress(output: Output, what: string, now: () => number): Progress {
  if (!output.showsProgress || output.json) return { update: () => undefined, end: () => undefined };
  const started = now();
  let drawn = 0;
  return {
    update(done, total) {
      const time = now();
      if (time - started < QUIET_MS || time - drawn < REDRAW_MS) return;
      drawn = time;
      const share = total === 0 ? 100 : Math.floor((100 * done) / total);
      output.rawError(`\r\u001b[K${what} ${share}% (${done} of ${total}, ${span(time - started)})`);
    },
    end() {
      if (drawn > 0) output.rawError('\r\u001b[K');
    },
  };
}
