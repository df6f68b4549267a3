import { type BytePath, split } from '../files/byte-path.js';
import { bytesAt, sha256At } from '../files/content.js';
import type { Folder } from '../files/folder.js';
import { isNear } from '../files/near.js';
import { stateOf } from '../files/state.js';
import { gitPartOf } from '../plan/git.js';
import type { UpperEntry } from '../walk/records.js';
import type { Change, FileState, Kind } from './change.js';
import { isSameIndex } from './git-index.js';
import type { Reads } from './reads.js';

/** One path on both sides. */
export interface Sides {
  readonly path: BytePath;
  readonly entry: UpperEntry;
  /** The folder of the path in the layer, and in the project: undefined where the project has none. */
  readonly upper: Folder;
  readonly project: Folder | undefined;
  /** How the project was, as far as that is remembered. */
  readonly base: FileState | undefined;
}

/** A difference, before it is known what the world began with. */
export type Difference = Omit<Change, 'isStale'>;

/** The difference at a path that the layer has, undefined where there is none. */
export async function compare(
  { path, entry, upper, project, base }: Sides,
  reads: Reads,
): Promise<Difference | undefined> {
  const { name } = split(path);
  const before = project === undefined ? undefined : stateOf(project, name);
  if (entry.kind === 'whiteout')
    return before === undefined ? undefined : { path, how: 'deleted', before, after: undefined };
  const mayBeBase = entry.kind === 'file' && base?.sha256 !== undefined && base.size === entry.size;
  const after = {
    ...stateOfEntry(entry, entry.kind),
    sha256: mayBeBase && reads.take(entry.size) ? await sha256At(upper, name, entry.size) : undefined,
    target: entry.kind === 'link' ? upper.link(name) : undefined,
  };
  if (before === undefined || project === undefined) return { path, how: 'added', before: undefined, after };
  if (before.kind !== after.kind) return { path, how: 'replaced', before, after };
  if (before.kind === 'link')
    return before.target === after.target ? undefined : { path, how: 'modified', before, after };
  if (before.kind !== 'file')
    return before.mode === after.mode ? undefined : { path, how: 'mode', before, after };
  return compareFiles({ path, before, after }, { name, upper, project, reads });
}

/** The state of an entry, of whose bytes nothing is read; undefined for a mark of what is gone. */
export function stateIn(entry: UpperEntry): FileState | undefined {
  return entry.kind === 'whiteout' ? undefined : stateOfEntry(entry, entry.kind);
}

function stateOfEntry({ mode, size, inode, changedAt, modifiedAt }: UpperEntry, kind: Kind): FileState {
  return { kind, mode, size, inode, changedAt, modifiedAt, sha256: undefined, target: undefined };
}

interface FileSides {
  readonly name: BytePath;
  readonly upper: Folder;
  readonly project: Folder;
  readonly reads: Reads;
}

async function compareFiles(
  { path, before, after }: { readonly path: BytePath; readonly before: FileState; readonly after: FileState },
  sides: FileSides,
): Promise<Difference | undefined> {
  const { name, upper, project, reads } = sides;
  const ours = reads.take(before.size) ? await sha256At(project, name, before.size) : undefined;
  const isSameSize = before.size === after.size;
  const isToRead = after.sha256 === undefined && isSameSize && reads.take(after.size);
  const theirs = isToRead ? await sha256At(upper, name, after.size) : after.sha256;
  const states = { before: { ...before, sha256: ours }, after: { ...after, sha256: theirs } };
  if (isSameSize && before.mode === after.mode && (await isIndexAsBefore(path, before.size, sides)))
    return undefined;
  // Two that could not be read are taken for different ones.
  if (!isSameSize || ours === undefined || ours !== theirs) return { path, how: 'modified', ...states };
  if (before.mode !== after.mode) return { path, how: 'mode', ...states };
  return isNear(before.modifiedAt, after.modifiedAt) ? undefined : { path, how: 'touched', ...states };
}

/** A larger index of git is compared byte by byte. */
const MOST_INDEX = 16_777_216;

/** Whether it is an index of git that says the same on both sides: the project's stays as it is. */
async function isIndexAsBefore(
  path: BytePath,
  size: number,
  { name, upper, project, reads }: FileSides,
): Promise<boolean> {
  if (gitPartOf(path) !== 'index' || size > MOST_INDEX || !reads.take(2 * size)) return false;
  const ours = await bytesAt(project, name, size);
  const theirs = await bytesAt(upper, name, size);
  return ours !== undefined && theirs !== undefined && isSameIndex(ours, theirs);
}
