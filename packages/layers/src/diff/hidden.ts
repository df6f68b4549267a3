import { type BytePath, joined } from '../files/byte-path.js';
import type { Folders } from '../files/folders.js';
import { stateOf } from '../files/state.js';
import type { FileState } from './change.js';
import type { UpperTree } from './upper-tree.js';

/** A thing of the project that the world does not see any more. */
export interface Hidden {
  readonly path: BytePath;
  readonly before: FileState;
}

/**
 * The things in a folder of the project that the layer hides, since it has made the folder anew, or has taken
 * it away. In parts, a folder of the project each.
 */
export async function* hiddenBelow(
  folder: BytePath,
  tree: UpperTree,
  project: Folders,
): AsyncGenerator<readonly Hidden[]> {
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const open = project.at(next);
    if (open === undefined) continue;
    const found: Hidden[] = [];
    for (const name of open.names()) {
      const path = joined(next, name);
      const above = tree.at(path);
      const before = stateOf(open, name);
      if (before === undefined) continue;
      if (above === undefined) found.push({ path, before });
      if (before.kind === 'folder' && (above === undefined || above.kind === 'folder')) waiting.push(path);
    }
    yield found;
  }
}
