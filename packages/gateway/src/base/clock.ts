/** Epoch milliseconds. The one source of time; tests hand in their own. */
export type Clock = () => number;

/** Gives that many unpredictable bytes. */
export type RandomBytes = (size: number) => Uint8Array;
