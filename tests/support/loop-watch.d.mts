/**
 * A turn of an event loop that took too long, in processor time of its thread, without the collector's
 * pauses.
 */
export interface LongTurn {
  readonly ms: number;
  readonly collectedMs: number;
}

export const MOST_MS: number;

/** Why turns cannot be measured here; undefined where they can. */
export function whyNoWatch(): string | undefined;

/** The processor time that this thread has had, in milliseconds. */
export function processorClock(): { ms(): number; close(): void };

/** Measures each turn of this thread's event loop until `stop`, which looks at the present one as well. */
export function watchLoop(onLong: (turn: LongTurn) => void): { stop(): void };
