import { isSublError, SublError } from '@subluminal/core-types';
import {
  type BytePath,
  type CommitOf,
  type Layer,
  type LayerAbout,
  type Look,
  lookDigest,
  pinned,
  planCommit,
} from '@subluminal/layers';
import type { Call } from '../../../program/call.js';
import { string } from '../../../program/flags.js';
import { askedByLayer, askedByPolicy } from '../asked-by.js';

type AskedBy = CommitOf['askedBy'];

/** The flag by which a decision is bound to what somebody was shown. */
export const EXPECT_FLAG = {
  expect: string('<digest>', 'only if the layer is as `sub world diff --json` showed it'),
};

/** A look, and the hash of all that it shows. */
export interface Shown extends Look {
  readonly digest: string;
}

/**
 * The layer as it is shown before somebody decides: all of it, or what stands at these paths. Errors: those
 * of `planCommit` and `pinned`.
 */
export async function shownOf(
  { diff, project, upper }: Layer,
  askedBy: AskedBy,
  paths: readonly BytePath[] = [],
): Promise<Shown> {
  const all = { paths, isOverwriting: false, agreed: [] };
  const plan = await planCommit({ diff, project, upper, ...all, askedBy });
  const pins = await pinned(plan.waiting, { diff, upper });
  const look = { changes: diff.changes, plan, pins };
  return { ...look, digest: lookDigest(look) };
}

/**
 * Holds a layer against what somebody was shown, and gives what is shown now; undefined if no digest was
 * named. Throws `layer_changed`, before anything is done.
 */
export async function expected(
  { flags }: Call<{ readonly expect: string | undefined }>,
  layer: Layer,
  askedBy: AskedBy,
): Promise<Shown | undefined> {
  if (flags.expect === undefined) return undefined;
  const now = await shownOf(layer, askedBy);
  if (now.digest === flags.expect) return now;
  throw new SublError('layer_changed', 'the layer, or the project under it, is not as it was shown', {
    help: 'nothing was taken over or thrown away: look at it again',
  });
}

/**
 * The changes that a person is asked about, for a look. Nothing is decided by it: without the gateway its
 * policy says nothing. Errors: those of `askedByLayer`.
 */
export function askedNow(call: Call, about: LayerAbout): Promise<AskedBy> {
  return askedByPolicy(call, about).catch((error: unknown) => {
    if (isSublError(error)) return askedByLayer(about);
    throw error;
  });
}
