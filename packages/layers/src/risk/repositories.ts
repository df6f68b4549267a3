import type { Change } from '../diff/change.js';
import { type BytePath, joined, namesOf, pathOfText, ROOT, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { deniedBy } from '../plan/denied.js';
import { foldedNames } from './folded.js';
import { IN_GIT } from './names.js';

/** The repositories of git in a project, besides `.git` where it is one already. */
export interface Repositories {
  /** Folders that are none, and would be with the changes. */
  readonly fresh: ReadonlySet<BytePath>;
  /** Folders that are one without being called `.git`. */
  readonly known: ReadonlySet<BytePath>;
}

export const NO_REPOSITORIES: Repositories = { fresh: new Set(), known: new Set() };

/** The names by which git takes a folder for a repository. */
const SIGNS = ['HEAD', 'commondir', 'config', 'objects', 'refs'] as const;
/** Those, and what git obeys there, as `foldedName` gives them. */
const PARTS: ReadonlySet<string> = new Set(
  [...SIGNS, ...IN_GIT.keys(), 'info'].map((name) => name.toLowerCase()),
);

/** Whether a path of these folded names is a part of a repository that stands in the project's own folder. */
export function isPartOfRoot([first = '']: readonly string[]): boolean {
  return PARTS.has(first);
}

/**
 * Finds repositories by what would stand in the project with the changes, and not by the changes alone: the
 * first parts of one may have been taken over before. A deleted thing counts as there, since a commit may
 * take over a part of the changes.
 */
export function repositoriesOf(changes: readonly Change[], project: Folder): Repositories {
  const put = new Map<string, Set<string>>();
  const places = new Set<BytePath>();
  const fresh = new Set<BytePath>();
  for (const { path, how, after } of changes) {
    const names = foldedNames(path);
    const last = names.at(-1) ?? '';
    if (last === '.git' && (how === 'added' || how === 'replaced')) fresh.add(path);
    for (const place of placesOf(path, names)) places.add(place);
    if (after === undefined || !PARTS.has(last)) continue;
    const above = names.slice(0, -1).join('/');
    const there = put.get(above) ?? new Set();
    put.set(above, there.add(last));
  }
  const known = new Set<BytePath>();
  const folders = new Folders(project);
  try {
    for (const place of places) {
      const added = put.get(foldedNames(place).join('/')) ?? new Set<string>();
      const now = signsAt(folders, place, added);
      if (isRepository(now)) {
        if (foldedNames(split(place).name)[0] !== '.git') known.add(place);
      } else if (isRepository(new Set([...now, ...added]))) fresh.add(place);
    }
  } finally {
    folders.close();
  }
  return { fresh, known };
}

/** The folders of which a path names a part. A path in `.git` is judged by its place there. */
function* placesOf(path: BytePath, names: readonly string[]): Generator<BytePath> {
  let above = ROOT;
  for (const [at, name] of namesOf(path).entries()) {
    if (PARTS.has(names[at] ?? '')) yield above;
    if (names[at - 1] === '.git') return;
    above = joined(above, name);
  }
}

/** The signs that the project has there; none is looked for if nothing can be the head. */
function signsAt(folders: Folders, place: BytePath, added: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  try {
    const open = folders.at(place);
    if (open === undefined) return found;
    for (const sign of SIGNS) {
      if (open.look(pathOfText(sign)) !== undefined) found.add(sign.toLowerCase());
      if (!found.has('head') && !added.has('head')) break;
    }
  } catch (error) {
    // A folder that nobody may enter: the commit cannot, either.
    if (deniedBy(error) === undefined) throw error;
  }
  return found;
}

function isRepository(signs: ReadonlySet<string>): boolean {
  const isWhole = signs.has('objects') && signs.has('refs');
  return signs.has('head') && (signs.has('commondir') || signs.has('config') || isWhole);
}
