import { isSublError, SublError } from '@subluminal/core-types';
import {
  type BytePath,
  type CommitOf,
  type CommitPlan,
  type Layer,
  type LayerAbout,
  type Look,
  lookDigest,
  overwriteDigest,
  type Overwritten,
  pinned,
  planCommit,
} from '@subluminal/layers';
import type { Call } from '../../../program/call.js';
import { string } from '../../../program/flags.js';

type AskedBy = CommitOf['askedBy'];

/** The flag by which a decision is bound to what somebody was shown. */
export const EXPECT_FLAG = {
  expect: string('<digest>', 'only if the layer is as `sub world diff --json` showed it'),
};

/** A look, and the hash of all that it shows. */
export interface Shown extends Look {
  readonly digest: string;
  /** Those that overwriting would take over; the bytes of those that a person is asked about; their hash. */
  readonly overwritten: readonly Overwritten[];
  readonly overwrittenPins: Look['pins'];
  readonly overwrite: string;
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
  const sides = { diff, project, upper, agreed: [], askedBy };
  const plan = await planCommit({ ...sides, paths, isOverwriting: false });
  const pins = await pinned(plan.waiting, { diff, upper });
  const overwritten = await overwrittenIn(plan, sides);
  const asks = overwritten.flatMap(({ ask }) => ask ?? []);
  const overwrittenPins = await pinned(asks, { diff, upper });
  const look = { changes: diff.changes, plan, pins };
  const digest = lookDigest({ ...look, pins: [...pins, ...overwrittenPins] });
  return { ...look, digest, overwritten, overwrittenPins, overwrite: overwriteDigest(digest, overwritten) };
}

/** Files and links alone: a folder holds what nobody is shown. */
async function overwrittenIn(
  { conflicts }: CommitPlan,
  sides: Omit<CommitOf, 'isOverwriting' | 'paths'>,
): Promise<readonly Overwritten[]> {
  const kinds = new Map(sides.diff.changes.map(({ path, before, after }) => [path, (after ?? before)?.kind]));
  const found = conflicts.flatMap(({ path, found: own }) => {
    const isFolder = kinds.get(path) === 'folder' || own?.state?.kind === 'folder';
    return own === undefined || isFolder ? [] : [{ path, state: own.state }];
  });
  if (found.length === 0) return [];
  const paths = found.map(({ path }) => path);
  const seen = new Map(found.map(({ path, state }) => [path, state]));
  const plan = await planCommit({ ...sides, paths, isOverwriting: true, seen });
  const asks = new Map(plan.waiting.map((ask) => [ask.path, ask]));
  return found.map((one) => ({ ...one, ask: asks.get(one.path) }));
}

/**
 * Holds a layer against what somebody was shown, and gives what is shown now; undefined if no digest was
 * named. To overwrite takes the digest of what is lost, too. Throws `layer_changed`, before anything is done.
 */
export async function expected(
  { flags }: Call<{ readonly expect: string | undefined; readonly overwrite?: boolean }>,
  layer: Layer,
  askedBy: AskedBy,
): Promise<Shown | undefined> {
  if (flags.expect === undefined) return undefined;
  const now = await shownOf(layer, askedBy);
  const isSeen = flags.expect === now.overwrite;
  if (isSeen || (flags.overwrite !== true && flags.expect === now.digest)) return now;
  throw new SublError('layer_changed', 'the layer, or the project under it, is not as it was shown', {
    help: 'nothing was taken over or thrown away: look at it again',
  });
}

/**
 * The changes that a person is asked about, for a look. Nothing is decided by it: without the gateway its
 * policy says nothing. Errors: those of `askedByLayer`.
 */
export async function askedNow(call: Call, about: LayerAbout): Promise<AskedBy> {
  const { askedByLayer, askedByPolicy } = await import('../asked-by.js');
  return askedByPolicy(call, about).catch((error: unknown) => {
    if (isSublError(error)) return askedByLayer(about);
    throw error;
  });
}
