import { SublError } from '@subluminal/core-types';

/** One limit on a whole piece of work: its own time, and the wish of whoever asked for it. */
export interface Deadline {
  /** Aborted at the limit, or when the caller gives up. */
  readonly signal: AbortSignal;
  /** Rejects when `signal` is aborted; never resolves. */
  readonly expired: Promise<never>;
  /** Why `signal` is aborted, if it is. */
  reason(): SublError | undefined;
  /** Ends the watch. Must be called, else the timer and the listener stay. */
  end(): void;
}

/** `setTimeout` fires at once for anything longer. */
const MAX_TIMER = 2_147_483_647;

/**
 * Starts the clock. At `timeoutMs` the reason is `timeoutError`; when `caller` is aborted it is the caller's own
 * `SublError`, or `adapter_failed`.
 */
export function startDeadline(timeoutMs: number, caller: AbortSignal, timeoutError: SublError): Deadline {
  const controller = new AbortController();
  let reason: SublError | undefined;
  const abort = (error: SublError): void => {
    reason ??= error;
    controller.abort(reason);
  };
  const giveUp = (): void => abort(cancelled(caller));
  const timer = setTimeout(() => abort(timeoutError), Math.min(timeoutMs, MAX_TIMER));
  caller.addEventListener('abort', giveUp, { once: true });
  const expired = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(reason ?? timeoutError), { once: true });
  });
  // Whoever races against `expired` sees its rejection; when nobody does any more it is no news.
  expired.catch(() => reason);
  if (caller.aborted) giveUp();
  return {
    signal: controller.signal,
    expired,
    reason: () => reason,
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
