/** A signal that is never aborted, for callers whose connection does not end what they began. */
export const SIGNAL_NEVER: AbortSignal = new AbortController().signal;
