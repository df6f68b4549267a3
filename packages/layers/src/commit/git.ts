import { type BytePath, joined, namesOf, pathOfText, ROOT } from '../files/byte-path.js';

/**
 * The part that a path plays in a repository of git.
 * - `object`: named by its content, so it is added, and never changed;
 * - `object_folder`: a folder of such;
 * - `ref`: names objects, so it comes after them;
 * - `index`: what git believes of the files, which git can make anew;
 * - `passing`: a lock or a half-written file of a git that ran, or still runs.
 */
export type GitPart = 'object' | 'object_folder' | 'ref' | 'index' | 'passing';

const GIT = pathOfText('.git');
const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
const LOOSE = /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/;
const PACK = /^pack-[0-9a-f]{40}(?:[0-9a-f]{24})?\.[a-z]{3,12}$/;
const REFS: ReadonlySet<string> = new Set([
  'FETCH_HEAD',
  'HEAD',
  'MERGE_HEAD',
  'ORIG_HEAD',
  'logs',
  'packed-refs',
  'refs',
  'reftable',
  'shallow',
]);
/** Names that begin a repository's own part of a path: before them stands the name of a submodule. */
const OWN: ReadonlySet<string> = new Set([...REFS, 'config', 'hooks', 'index', 'info', 'modules', 'objects']);

/** Undefined for a path that is in no repository, or is a file like others there. */
export function gitPartOf(path: BytePath): GitPart | undefined {
  if (!path.includes(GIT)) return undefined;
  const names = namesOf(path);
  const at = names.indexOf(GIT);
  if (at === -1 || at === names.length - 1) return undefined;
  const inside = ownNames(names.slice(at + 1));
  const last = inside.at(-1) ?? '';
  if (last.endsWith('.lock')) return 'passing';
  if (inside[0] === 'objects') return ofObjects(inside);
  if (inside.length === 1 && inside[0] === 'index') return 'index';
  return REFS.has(inside[0] ?? '') ? 'ref' : undefined;
}

/** The folder `.git` that a path stands in; undefined: in none. */
export function gitFolderOf(path: BytePath): BytePath | undefined {
  if (!path.includes(GIT)) return undefined;
  const names = namesOf(path);
  const at = names.indexOf(GIT);
  if (at === -1) return undefined;
  return names.slice(0, at + 1).reduce((folder, name) => joined(folder, name), ROOT);
}

/** Without the names that lead to a submodule or a worktree of the repository. */
function ownNames(inside: readonly string[]): readonly string[] {
  if (inside[0] === 'worktrees') return inside.slice(2);
  if (inside[0] !== 'modules') return inside;
  const own = inside.findIndex((name, at) => at > 0 && OWN.has(name));
  return own === -1 ? [] : ownNames(inside.slice(own));
}

function ofObjects(inside: readonly string[]): GitPart | undefined {
  const [, folder = '', name, ...more] = inside;
  if (folder === '') return 'object_folder';
  if (folder.startsWith('tmp_') || (name ?? '').startsWith('tmp_')) return 'passing';
  const isFolder = LOOSE_FOLDER.test(folder) || folder === 'pack' || folder === 'info';
  if (!isFolder || more.length > 0) return undefined;
  if (name === undefined) return 'object_folder';
  return (folder === 'pack' ? PACK : LOOSE).test(name) ? 'object' : undefined;
}
