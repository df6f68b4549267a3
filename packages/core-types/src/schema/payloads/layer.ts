import * as z from 'zod';
import { Label, Sha256Hex } from '../json.js';
import { FsDiff } from './fs-diff.js';

/** The layer that is decided on, the project under it, and the run whose world had it last. */
const OfLayer = {
  layer_id: Label,
  folder: z.string().min(1).max(4096),
  run_id: z.string().max(256),
};

/** The entry by which a session of the page asked for it, if one did. */
const Asked = { asked: z.number().int().positive().optional() };

const Count = z.number().int().nonnegative();

/** Changes that are left, by why. */
const Left = z
  .array(z.strictObject({ why: z.string().regex(/^[a-z_]{1,32}$/), count: z.number().int().positive() }))
  .max(32);

/**
 * `layer.commit`: the project is about to get changes of a layer. `fs_diff` are those that are going to be
 * taken over, `risky` the first of them that a person is asked about, `left` those that the plan leaves.
 * `plan_sha256` is the hash of all steps of the plan.
 */
export const LayerCommitPayload = z.strictObject({
  ...OfLayer,
  ...Asked,
  plan_sha256: Sha256Hex,
  fs_diff: FsDiff,
  risky: z.array(z.string().min(1).max(512)).max(64),
  risky_count: Count,
  left: Left,
  /** The paths are taken over also where the project has changed since the world saw it. */
  overwrite: z.literal(true).optional(),
});
export type LayerCommitPayload = z.infer<typeof LayerCommitPayload>;

/** `layer.discard`: changes of a layer are about to be thrown away, those of `fs_diff`. */
export const LayerDiscardPayload = z.strictObject({
  ...OfLayer,
  ...Asked,
  fs_diff: FsDiff,
  /** The layer keeps others. */
  partial: z.literal(true).optional(),
});
export type LayerDiscardPayload = z.infer<typeof LayerDiscardPayload>;

/**
 * `layer.recover`: a commit or a discard that was cut off is about to be brought to an end. `begun` is its
 * entry, as far as that is known, `unsettled` so many files of the project that may be half-way.
 */
export const LayerRecoverPayload = z.strictObject({
  ...OfLayer,
  begun: z.number().int().positive().optional(),
  unsettled: Count,
});
export type LayerRecoverPayload = z.infer<typeof LayerRecoverPayload>;

/**
 * `layer.end`: the end of what the entry `begun` began. `done` counts changes, and is left out if it broke
 * off, since nobody knows how far it came; `exit` is that of the verb.
 */
export const LayerEndPayload = z.strictObject({
  begun: z.number().int().positive(),
  done: Count.optional(),
  left: Left,
  exit: z.number().int().min(0).max(255),
  /** No room was left. */
  full: z.literal(true).optional(),
  /** It broke off by this. */
  error: z
    .strictObject({ code: z.string().regex(/^[a-z_]{1,64}$/), message: z.string().max(4096) })
    .optional(),
});
export type LayerEndPayload = z.infer<typeof LayerEndPayload>;
