import {
  type BytePath,
  type Change,
  type CommitOf,
  isChosen,
  type Layer,
  type LayerAbout,
  patchesOf,
  toldOf,
} from '@subluminal/layers';
import { changesJson, mostOf } from './change-json.js';
import { type Shown, shownOf } from './look.js';

/** A look as it is asked for. */
export interface DiffOf {
  readonly paths: ReadonlySet<BytePath>;
  readonly askedBy: CommitOf['askedBy'];
  /** So many changes; undefined: all. */
  readonly most: number | undefined;
  /** Each with its lines. */
  readonly patch: boolean;
  /** The look that this one is held against, with the bytes that were read; undefined: they are read now. */
  readonly before: Pick<Shown, 'overwrittenPins' | 'pins'> | undefined;
}

/** The answer of `sub world diff --json`. The digest is of the whole layer, and null if paths are named. */
export async function diffJson(
  layer: Layer,
  about: LayerAbout,
  { paths, askedBy, most, patch, before }: DiffOf,
): Promise<object> {
  const now = await shownOf(layer, askedBy, [...paths]);
  const { plan, pins, digest, overwrite, overwritten } = now;
  const all = layer.diff.changes.filter(({ path, how }) => how !== 'touched' && isChosen(path, paths));
  const changes = most === undefined ? all : mostOf(all, plan, { most, named: paths });
  const rows = changesJson(changes, now);
  return {
    layer: about.place.id,
    folder: about.project,
    since: Number(about.beganAt / NS_OF_MS),
    label: about.label,
    run_id: about.runId,
    in_world: about.world !== undefined,
    digest: paths.size === 0 ? digest : null,
    overwrite: paths.size === 0 ? overwrite : null,
    fs_diff: toldOf({ changes: all, isTruncated: layer.diff.isTruncated }) ?? null,
    changes: patch
      ? withPatches(
          rows,
          besideProject(
            pinnedIn(changes, [...(before?.pins ?? pins), ...(before ?? now).overwrittenPins]),
            overwritten,
          ),
          layer,
        )
      : rows,
    more: all.length - changes.length,
    truncated: layer.diff.isTruncated,
  };
}

const NS_OF_MS = 1_000_000n;

/** Of what is asked about only the bytes that are pinned are shown: a yes would be to these. */
function pinnedIn(
  changes: readonly Change[],
  pins: readonly Pick<Change, 'path' | 'after'>[],
): readonly Change[] {
  const pinned = new Map(pins.map(({ path, after }) => [path, after]));
  return changes.map((change) =>
    pinned.has(change.path) ? { ...change, after: pinned.get(change.path) } : change,
  );
}

/** Compares with the project's own that overwriting would lose, whatever the world has seen there. */
function besideProject(changes: readonly Change[], overwritten: Shown['overwritten']): readonly Change[] {
  const states = new Map(overwritten.map(({ path, state }) => [path, state]));
  return changes.map((change) => ({ ...change, before: states.get(change.path) ?? change.before }));
}

function withPatches(rows: readonly object[], changes: readonly Change[], layer: Layer): readonly object[] {
  const patches = [...patchesOf(changes, layer)];
  return rows.map((row, at) => ({ ...row, patch: patches[at] ?? [] }));
}
