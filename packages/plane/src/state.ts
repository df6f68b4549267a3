import { sha256Hex } from '@subluminal/core-types';
import * as z from 'zod';
import type { Identity } from './event.js';
import { isHeldOut } from './key.js';
import { ratesSchema } from './posture/rate.js';
import { SIGNAL_NAMES, signalMemories, START_MEMORIES } from './signals/all.js';
import { floorSchema, START_FLOOR } from './window/floor.js';
import { opened, windowSchema } from './window/window.js';

/** One session in so many is never steered. */
const HELD_OUT_ONE_IN = 5;

const name = z.enum(SIGNAL_NAMES);

const sign = z.strictObject({
  signal: name,
  why: z.enum(['compaction', 'failing', 'kind', 'module', 'protected', 'repeating', 'repository', 'task']),
  isProtected: z.boolean(),
  from: z.string().max(16).optional(),
  to: z.string().max(16).optional(),
});

/** Everything that is remembered of one identity. Plain JSON, of bounded size. */
export const stateSchema = z.strictObject({
  v: z.literal(1),
  repository: z.string().length(16),
  isHeldOut: z.boolean(),
  /** The time of the newest event; it never goes back. */
  nowMs: z.int().min(0),
  /** The signals that are off were told of. */
  isTold: z.boolean(),
  /** Signals that threw, and look no more. */
  failed: z.array(name).max(SIGNAL_NAMES.length),
  signals: signalMemories,
  /** Signs that the floor holds back, one a signal. */
  waiting: z.array(sign).max(SIGNAL_NAMES.length),
  floor: floorSchema,
  window: windowSchema,
  steered: ratesSchema,
});

export type PlaneState = Readonly<z.infer<typeof stateSchema>>;

export type WaitingSign = PlaneState['waiting'][number];

/** The hash of a repository, as states and entries have it. */
export function repositoryHash(repository: string): string {
  return sha256Hex(repository).slice(0, 16);
}

/** The state of an identity before its first event. `salt`: as of `isHeldOut`. */
export function startOfState(identity: Identity, salt: string, oneIn: number = HELD_OUT_ONE_IN): PlaneState {
  return {
    v: 1,
    repository: repositoryHash(identity.repository),
    isHeldOut: isHeldOut(identity, oneIn, salt),
    nowMs: 0,
    isTold: false,
    failed: [],
    signals: START_MEMORIES,
    waiting: [],
    floor: START_FLOOR,
    window: opened(1, 0, 0),
    steered: [],
  };
}

/** A state that was stored; undefined for anything that is none. */
export function readState(stored: unknown): PlaneState | undefined {
  const read = stateSchema.safeParse(stored);
  return read.success ? read.data : undefined;
}

/** A session that goes on elsewhere: what was remembered, under another identity. */
export function forkedState(state: PlaneState, identity: Identity, salt: string): PlaneState {
  const isOut = isHeldOut(identity, HELD_OUT_ONE_IN, salt);
  return { ...withoutCheckpoint(state), isHeldOut: isOut, isTold: false };
}

/** The same without the evidence of the present window: another run, or another session, goes on with it. */
export function withoutCheckpoint(state: PlaneState): PlaneState {
  return { ...state, window: { ...state.window, checkpoint: null } };
}
