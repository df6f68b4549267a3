import { ALL_TELEMETRY, type PlaneEntry, type PlaneState, readState, SIGNAL_NAMES } from '@subluminal/plane';
import * as z from 'zod';

const openingEntry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('plane.window'), what: z.literal('opened'), window: z.int().min(1) }),
  z.strictObject({
    type: z.literal('plane.signal_off'),
    signal: z.enum(SIGNAL_NAMES),
    reason: z.enum(['failed', 'telemetry']),
    missing: z.array(z.enum(ALL_TELEMETRY)).max(8),
  }),
]);

const opening = z.strictObject({ event: z.int().min(0), entries: z.array(openingEntry).max(16) });

/**
 * Entries that only say that an agent is followed from now on, and the event that led to them. They are
 * written with the first decision behind them: an agent that does little leaves nothing.
 */
export type Opening = Readonly<z.infer<typeof opening>>;

const kept = z.strictObject({
  state: z.unknown(),
  opening: opening.nullable(),
  runId: z.string().max(64).default(''),
});

/** An agent as it is stored. */
export interface KeptState {
  readonly state: PlaneState;
  readonly opening: Opening | null;
  /** The run in which it was seen last; empty where that is not known. */
  readonly runId: string;
}

/** A row as it was stored; undefined for anything that is none. */
export function readKept(stored: unknown): KeptState | undefined {
  const read = kept.safeParse(stored);
  const state = read.success ? readState(read.data.state) : undefined;
  if (!read.success || state === undefined) return undefined;
  const { opening: waiting, runId } = read.data;
  return { state, opening: waiting, runId };
}

/** The entries as an opening; undefined where something else was decided, too. */
export function openingOf(event: number, entries: readonly PlaneEntry[]): Opening | undefined {
  const read = opening.safeParse({ event, entries });
  return read.success ? read.data : undefined;
}
