import * as z from 'zod';
import { JsonObjectSchema } from './json.js';

const Count = z.int().min(0);
const Word = z.string().min(1).max(64);
const Tier = z.enum(['low', 'ordinary', 'protected']);
const Kind = z.enum(['change', 'check', 'deliver', 'explore', 'other']);
const Looks = z.enum(['ahead', 'back']);

/** The longest text of a steer, in characters. */
const MAX_TEXT = 600;

/** Whose work it is, and the entry whose event led to this one. */
const Of = z.strictObject({
  /** How the client is seen: `claude_hook`, `codex_hook`, or `run` for calls that no hook tells of. */
  client: Word,
  session: z.string().max(256),
  /** A subagent; empty for the agent of the session itself. */
  agent: z.string().max(256),
  event: Count,
});

const of = { of: Of, window: Count };

/** `plane.boundary`: the work came to a boundary, with which the window ended. */
export const PlaneBoundaryData = z.strictObject({
  ...of,
  why: z
    .array(
      z.enum(['compaction', 'failing', 'kind', 'module', 'protected', 'repeating', 'repository', 'task']),
    )
    .min(1)
    .max(8),
  from: Word.exactOptional(),
  to: Word.exactOptional(),
  tier: Tier,
});

/** `plane.window`: a stretch of work began, or is over. It licenses nothing. */
export const PlaneWindowData = z.discriminatedUnion('what', [
  z.strictObject({ ...of, what: z.literal('opened') }),
  z.strictObject({
    ...of,
    what: z.literal('closed'),
    /** `backstop`: it expired. */
    by: z.enum(['backstop', 'boundary', 'end']),
    tier: Tier,
    actions: Count,
    ms: Count,
    /** A hash of the folder in which the session began. */
    repository: z.string().length(16),
    task: Kind,
    mix: z.enum(['changing', 'looking', 'mixed']),
    held_out: z.boolean(),
  }),
]);

/** `plane.steer`: a text was given to the agent, made of words of the product and numbers. */
export const PlaneSteerData = z.strictObject({ ...of, looks: Looks, text: z.string().min(1).max(MAX_TEXT) });

/** `plane.skip`: something was not done, and why. */
export const PlaneSkipData = z.strictObject({
  ...of,
  what: z.enum(['boundary', 'checkpoint', 'steer']),
  reason: z.enum(['channel', 'evidence', 'floor', 'form', 'held_out', 'late', 'mode', 'quiet', 'rate']),
  /** The fields that a call of the form's tool lacked; absent where its arguments could not be read. */
  lacks: z.array(Word).max(16).exactOptional(),
});

/** `plane.checkpoint`: the call `event` shows a reassessment. */
export const PlaneCheckpointData = z.strictObject({
  ...of,
  mechanism: Word,
  looks: Looks,
  facts: JsonObjectSchema,
});

/** `plane.signal_off`: a signal does not look, and why. */
export const PlaneSignalOffData = z.strictObject({
  of: Of,
  signal: Word,
  reason: z.enum(['failed', 'telemetry']),
  missing: z.array(Word).max(8),
});

/** The data of each type of entry that the plane writes. */
export const PLANE_ENTRIES = {
  'plane.boundary': PlaneBoundaryData,
  'plane.window': PlaneWindowData,
  'plane.steer': PlaneSteerData,
  'plane.skip': PlaneSkipData,
  'plane.checkpoint': PlaneCheckpointData,
  'plane.signal_off': PlaneSignalOffData,
} as const;

/**
 * The risk classes that a call has while the plane gates what is protected: its window has no evidence of a
 * checkpoint; changes came after the last check that succeeded.
 */
export const PLANE_CLASSES = ['no_checkpoint', 'untested_changes'] as const;

export type PlaneEntryType = keyof typeof PLANE_ENTRIES;
