import type { Turn } from '@subluminal/records';

/** Work of so long is done in one turn of the event loop. */
const TURN_MS = 20;

/** Lets the event loop go on whenever a turn has taken its time. */
export function turns(now: () => number): Turn {
  let since = now();
  return () => {
    if (now() - since < TURN_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = now();
        resolve();
      });
    });
  };
}
