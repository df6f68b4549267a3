import { SublError } from '@subluminal/core-types';

/** One limit on a whole piece of work: its own time, and the wish of whoever asked for it. */
export interface Deadline {
  /** Aborted at the limit, or when the caller gives up. */
  readonly signal: AbortSignal;
  /**
   * Settles as `work` does, or rejects with the reason as soon as there is one; `work` is then left to
   * itself.
   */
  race<T>(work: Promise<T>): Promise<T>;
  /** Why `signal` is aborted, if it is. */
  reason(): SublError | undefined;
  /** Ends the watch. Must be called, else the timer and the listener stay. */
  end(): void;
}

/** `setTimeout` fires at once for anything longer. */
const MAX_TIMER = 2_147_483_647;

/**
 * Starts the clock. At `timeoutMs` the reason is what `timeoutError` makes, which is made only then; when
 * `caller` is aborted it is the caller's own `SublError`, or `adapter_failed`.
 */
export function startDeadline(
  timeoutMs: number,
  caller: AbortSignal,
  timeoutError: () => SublError,
): Deadline {
  const controller = new AbortController();
  let reason: SublError | undefined;
  const abort = (error: SublError): void => {
    reason ??= error;
    controller.abort(reason);
  };
  const giveUp = (): void => abort(cancelled(caller));
  const timer = setTimeout(() => abort(timeoutError()), Math.min(timeoutMs, MAX_TIMER));
  caller.addEventListener('abort', giveUp, { once: true });
  if (caller.aborted) giveUp();
  return {
    signal: controller.signal,
    reason: () => reason,
    race: (work) =>
      new Promise((resolve, reject) => {
        const stop = (): void => reject(reason ?? timeoutError());
        if (controller.signal.aborted) stop();
        else controller.signal.addEventListener('abort', stop, { once: true });
        work.then(resolve, reject);
      }),
    end() {
      clearTimeout(timer);
      caller.removeEventListener('abort', giveUp);
    },
  };
}

function cancelled(caller: AbortSignal): SublError {
  const reason: unknown = caller.reason;
  if (reason instanceof SublError) return reason;
  return new SublError('adapter_failed', 'the request was cancelled', { cause: reason });
}
