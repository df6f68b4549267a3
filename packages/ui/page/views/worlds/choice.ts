import type { LayerChange } from '../../../src/protocol/index.js';

/** A file of a layer that can be chosen: a folder counts if nothing that is listed stands in it. */
export type Ticked = (change: LayerChange) => boolean;

/**
 * The paths that a button is for, or all (null); how many files, those of them that are asked about, and
 * those that take the place of the project's own.
 */
export interface Choice {
  readonly paths: readonly string[] | null;
  readonly count: number;
  readonly risky: readonly LayerChange[];
  readonly overwritten: readonly LayerChange[];
}

/** The changes that have a box of their own. The list is in the order of paths, folders first. */
export function leavesOf(changes: readonly LayerChange[]): readonly LayerChange[] {
  return changes.filter(({ path }, at) => !isBelow(changes[at + 1]?.path ?? '', path));
}

/**
 * Those that a commit takes over. With all that is not asked about, and no yes to a risk, it is all: also
 * those that are not listed. A yes to a risk is for files that are listed, each by its name.
 */
export function toTake(
  changes: readonly LayerChange[],
  more: number,
  isTicked: Ticked,
  isOverwritten: Ticked = () => false,
): Choice {
  const all = leavesOf(changes);
  const overwritten = all.filter((leaf) => leaf.overwrite && isOverwritten(leaf));
  const leaves = all.filter(({ state }) => state !== 'left');
  const ticked = leaves.filter(isTicked);
  const risky = ticked.filter(({ state }) => state === 'asks');
  const isPlain = leaves.every((leaf) => leaf.state === 'asks' || isTicked(leaf));
  // A yes to what is lost is for files that are named, too, and for no folder that one of them stands in.
  if (overwritten.length > 0) {
    const { paths, count } = named(changes, more, new Set(ticked));
    return {
      paths: [...(paths ?? []), ...overwritten.map(({ path }) => path)],
      count: count + overwritten.length,
      risky: [...risky, ...overwritten.filter(({ reasons }) => reasons.length > 0)],
      overwritten,
    };
  }
  const isAll = isPlain && (risky.length === 0 || (more === 0 && ticked.length === leaves.length));
  if (isAll) return { paths: null, count: ticked.length + more, risky, overwritten };
  return { ...named(changes, more, new Set(ticked)), risky, overwritten };
}

/** Those that are thrown away: all, where each that is listed is chosen. */
export function toThrow(changes: readonly LayerChange[], more: number, isTicked: Ticked): Choice {
  const leaves = leavesOf(changes);
  const ticked = leaves.filter(isTicked);
  if (ticked.length === leaves.length)
    return { paths: null, count: ticked.length + more, risky: [], overwritten: [] };
  return { ...named(changes, more, new Set(ticked)), risky: [], overwritten: [] };
}

/** By their names. A folder may hold what is not listed: then it stands for nothing. */
function named(
  changes: readonly LayerChange[],
  more: number,
  chosen: ReadonlySet<LayerChange>,
): Pick<Choice, 'paths' | 'count'> {
  if (more === 0) return { paths: shortest(changes, (leaf) => chosen.has(leaf)), count: chosen.size };
  const paths = [...chosen].filter(({ kind }) => kind !== 'folder').map(({ path }) => path);
  return { paths, count: paths.length };
}

/** A folder stands for all that is below it, if all of that is chosen. */
function shortest(changes: readonly LayerChange[], isChosen: Ticked): readonly string[] {
  const leaves = new Set(leavesOf(changes));
  const kept: string[] = [];
  let above: string | null = null;
  for (const [at, change] of changes.entries()) {
    const { path } = change;
    if (above !== null && isBelow(path, above)) continue;
    above = null;
    let end = at + 1;
    while (isBelow(changes[end]?.path ?? '', path)) end += 1;
    const within = changes.slice(at, end).filter((one) => leaves.has(one));
    if (!within.every(isChosen)) continue;
    kept.push(path);
    above = path;
  }
  return kept;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
