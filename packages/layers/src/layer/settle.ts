import type { FileState } from '../diff/change.js';
import { Reads } from '../diff/reads.js';
import { type BytePath, split } from '../files/byte-path.js';
import { sha256At } from '../files/content.js';
import { Folders } from '../files/folders.js';
import { stateOf } from '../files/state.js';
import type { Layer } from './layer.js';

/** Files and bytes that are read; others are forgotten. */
const MOST_READ = { files: 2000, bytes: 67_108_864 };

/**
 * Remembers how the project is at these paths now that a commit has taken them over, for a layer that a world
 * goes on with: what it writes there next is a change of that. A file that is not as the layer has it, since
 * either side has changed it meanwhile, is forgotten: its next change is a conflict. Throws the system's
 * errors.
 */
export function settle({ project, upper, bases }: Layer, paths: readonly BytePath[]): void {
  const [ours, theirs] = [new Folders(project), new Folders(upper)];
  const reads = new Reads(MOST_READ);
  try {
    bases.forget(paths);
    bases.add(
      paths.flatMap((path) => {
        const before = stateAt(ours, path);
        if (before?.kind !== 'file') return [{ path, before, isStale: false }];
        const sha256 = reads.take(before.size) ? hashAt(ours, path, before.size) : undefined;
        if (sha256 === undefined || sha256 !== hashAt(theirs, path, before.size)) return [];
        return [{ path, before: { ...before, sha256 }, isStale: false }];
      }),
    );
  } finally {
    ours.close();
    theirs.close();
  }
}

function stateAt(folders: Folders, path: BytePath): FileState | undefined {
  const { folder, name } = split(path);
  const open = folders.at(folder);
  return open === undefined ? undefined : stateOf(open, name);
}

function hashAt(folders: Folders, path: BytePath, size: number): string | undefined {
  const { folder, name } = split(path);
  const open = folders.at(folder);
  return open === undefined ? undefined : sha256At(open, name, size);
}
