import { setImmediate } from 'node:timers/promises';
import type { Base } from '../diff/bases.js';
import type { FileState } from '../diff/change.js';
import { Reads } from '../diff/reads.js';
import { type BytePath, split } from '../files/byte-path.js';
import { sha256At } from '../files/content.js';
import { Folders } from '../files/folders.js';
import { isNear } from '../files/near.js';
import { stateOf } from '../files/state.js';
import type { Layer } from './layer.js';

/** Paths between two turns of the event loop. */
const SLICE = 200;
/** Files and bytes that are read; of others size and time say whether they are as they were copied. */
const MOST_READ = { files: 2000, bytes: 67_108_864 };

/**
 * Remembers how the project is at these paths now that a commit has taken them over, for a layer that a world
 * goes on with: its next write there is a change of that. A path that is not as the layer has it, since
 * either side has changed it meanwhile, is forgotten: its next change is a conflict. Throws the system's
 * errors.
 */
export async function rememberTaken(
  { project, upper, bases, diff }: Layer,
  paths: readonly BytePath[],
): Promise<void> {
  const sides = { ours: new Folders(project), theirs: new Folders(upper) };
  const reads = new Reads(MOST_READ);
  const afters = new Map(diff.changes.map(({ path, after }) => [path, after]));
  try {
    bases.forget(paths);
    const all: (Base & { readonly path: BytePath })[] = [];
    for (const [at, path] of paths.entries()) {
      const base = await baseAt(path, { ...sides, after: afters.get(path) }, reads);
      if (base !== undefined) all.push({ path, ...base });
      if (at % SLICE === SLICE - 1) await setImmediate();
    }
    bases.add(all);
  } finally {
    sides.ours.close();
    sides.theirs.close();
  }
}

/** Both sides now, and the layer's as the commit has found it. */
interface Sides {
  readonly ours: Folders;
  readonly theirs: Folders;
  readonly after: FileState | undefined;
}

/** Undefined if the project is not as the layer has it there, or nobody knows. */
async function baseAt(
  path: BytePath,
  { ours, theirs, after }: Sides,
  reads: Reads,
): Promise<Base | undefined> {
  const [before, layers] = [stateAt(ours, path), stateAt(theirs, path)];
  // Of a thing that is gone the layer has a mark, or nothing.
  const isGone = layers === undefined || layers.kind === 'other';
  if (before === undefined) return isGone ? { before, isStale: false } : undefined;
  const isAlike =
    before.kind === layers?.kind && before.mode === layers.mode && before.target === layers.target;
  if (!isAlike) return undefined;
  if (before.kind !== 'file') return { before, isStale: false };
  // As the commit has found it, so that it was copied.
  const isFound = layers.inode === after?.inode && layers.changedAt === after.changedAt;
  const taken = isFound ? { inode: layers.inode, changedAt: layers.changedAt } : undefined;
  if (!reads.take(before.size)) {
    const isCopy = before.size === layers.size && isNear(before.modifiedAt, layers.modifiedAt);
    return isCopy && taken !== undefined ? { before, isStale: false, taken } : undefined;
  }
  const sha256 = await hashAt(ours, path, before.size);
  if (sha256 === undefined || sha256 !== (await hashAt(theirs, path, before.size))) return undefined;
  return { before: { ...before, sha256 }, isStale: false, taken };
}

function stateAt(folders: Folders, path: BytePath): FileState | undefined {
  const { folder, name } = split(path);
  const open = folders.at(folder);
  return open === undefined ? undefined : stateOf(open, name);
}

async function hashAt(folders: Folders, path: BytePath, size: number): Promise<string | undefined> {
  const { folder, name } = split(path);
  const open = folders.at(folder);
  return open === undefined ? undefined : sha256At(open, name, size);
}
