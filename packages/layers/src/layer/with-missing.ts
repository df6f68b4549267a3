import type { Change, Diff } from '../diff/change.js';
import { inOrder } from '../diff/step.js';
import { type BytePath, foldersOf, isAtOneOf, split } from '../files/byte-path.js';
import { Folders } from '../files/folders.js';
import { stateOf } from '../files/state.js';
import type { Layer } from './layer.js';

/**
 * The changes of a layer, with what the project has no more at these paths, below and above them, and the
 * world has as it was taken over: that is no change of the world, and comes back if somebody wants it to. All
 * of it if no path is given. Throws the system's errors.
 */
export function withMissing(layer: Layer, paths: readonly BytePath[]): Diff {
  const { diff, project, upper } = layer;
  const chosen = new Set(paths);
  const above = new Set(paths.flatMap((path) => [...foldersOf(path)]));
  const sides = { project: new Folders(project), upper: new Folders(upper) };
  try {
    const missing = layer
      .idle(new Set())
      .filter(({ path }) => paths.length === 0 || isAtOneOf(path, chosen) || above.has(path))
      .flatMap(({ path, after }): readonly Change[] => {
        if (after === undefined || sides.project.look(path) !== undefined) return [];
        const { folder, name } = split(path);
        const open = sides.upper.at(folder);
        const state = open === undefined ? undefined : stateOf(open, name);
        if (state === undefined) return [];
        return [{ path, how: 'added', before: undefined, after: state, isStale: false }];
      });
    return missing.length === 0 ? diff : { ...diff, changes: inOrder([...diff.changes, ...missing]) };
  } finally {
    sides.project.close();
    sides.upper.close();
  }
}
