import { posix } from 'node:path';
import { PROJECT_FILE } from '@subluminal/core-types';

/**
 * The policy files that may bind a run which works in `folder`, the nearest first: of the folder and of those
 * above it, up to the home or the root, which are no projects.
 */
export function filesAbove(folder: string, home: string): readonly string[] {
  if (!folder.startsWith('/')) return [];
  const files: string[] = [];
  for (
    let at = posix.normalize(folder).replace(/(.)\/$/, '$1');
    at !== '/' && at !== home;
    at = posix.dirname(at)
  )
    files.push(`${at}/${PROJECT_FILE}`);
  return files;
}

/**
 * Those of the files that are among `filesAbove`, the nearest first. Agents choose the folder: it costs a
 * look at each file, however deep it is.
 */
export function amongAbove(files: readonly string[], folder: string, home: string): readonly string[] {
  if (!folder.startsWith('/')) return [];
  const at = `${posix.normalize(folder).replace(/(.)\/$/, '$1')}/`;
  const isIn = (place: string): boolean => at.startsWith(`${place}/`);
  const inHome = isIn(home);
  return files
    .filter((file) => {
      const place = posix.dirname(file);
      const isAboveHome = `${home}/`.startsWith(`${place}/`);
      return place !== '/' && isIn(place) && !(inHome && isAboveHome);
    })
    .toSorted((one, other) => other.length - one.length);
}

/** Tells whether a policy there would be that of a project. */
export function isProjectFile(file: string, home: string): boolean {
  return posix.basename(file) === PROJECT_FILE && filesAbove(posix.dirname(file), home)[0] === file;
}
