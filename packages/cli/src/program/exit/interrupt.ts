import { constants } from 'node:os';

/** By these somebody calls work off, and lets it clean up. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `hear` for the next signal of the kind; gives what takes that back. */
export type Listen = (signal: NodeJS.Signals, hear: (signal: NodeJS.Signals) => void) => () => void;

const listenHere: Listen = (signal, hear) => {
  process.once(signal, hear);
  return () => void process.removeListener(signal, hear);
};

/**
 * Does work that can be called off by a signal, and then cleans up. Gives what the work gives, or
 * `interrupted`: the exit code 128 + n of signal n. A second signal of the kind ends the process at once.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  listen: Listen = listenHere,
): Promise<{ readonly done: T } | { readonly interrupted: number }> {
  const control = new AbortController();
  let code = 0;
  const hear = (signal: NodeJS.Signals): void => {
    code = 128 + constants.signals[signal];
    control.abort();
  };
  const listening = SIGNALS.map((signal) => listen(signal, hear));
  try {
    return { done: await work(control.signal) };
  } catch (error) {
    if (!control.signal.aborted || error !== control.signal.reason) throw error;
    return { interrupted: code };
  } finally {
    for (const stop of listening) stop();
  }
}
