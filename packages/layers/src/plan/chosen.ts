import type { Change } from '../diff/change.js';
import { type BytePath, isAtOneOf, ROOT, split } from '../files/byte-path.js';
import { gitFolderOf, gitPartOf } from './git.js';

/**
 * The changes at the chosen paths and below them, with what they need: the new folders above them, and the
 * objects of the git repository in which one of them stands. All changes if no path is chosen.
 */
export function chosenOf(changes: readonly Change[], paths: readonly BytePath[]): readonly Change[] {
  if (paths.length === 0 || paths.includes(ROOT)) return changes;
  const wanted = new Set(paths);
  const chosen = new Set<BytePath>();
  const folders = new Set<BytePath>();
  const repositories = new Set<BytePath>();
  for (const { path } of changes) {
    if (!isAtOneOf(path, wanted)) continue;
    chosen.add(path);
    const git = gitFolderOf(path);
    if (git !== undefined) repositories.add(git);
  }
  const isObject = ({ path }: Change): boolean => {
    const part = gitPartOf(path);
    return (part === 'object' || part === 'object_folder') && isAtOneOf(path, repositories);
  };
  const needed = changes.filter(
    (change) => chosen.has(change.path) || (change.how !== 'deleted' && isObject(change)),
  );
  for (const { path } of needed)
    for (let { folder } = split(path); folder !== '' && !folders.has(folder); { folder } = split(folder))
      folders.add(folder);
  const all = new Set(needed.map(({ path }) => path));
  return changes.filter((change) => all.has(change.path) || (isMade(change) && folders.has(change.path)));
}

function isMade({ before, after }: Change): boolean {
  return after?.kind === 'folder' && before?.kind !== 'folder';
}
