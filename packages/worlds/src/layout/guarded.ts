import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isWithin } from './folder.js';
import { type KnownLinks, knownLinks, OF_REPOSITORY, repositoriesSince } from './repositories.js';
import { isThere } from './system.js';

/**
 * Files of a project that other programs run, or take their orders from, as soon as somebody works there
 * again: a world that could change them would reach outside of itself.
 */
const GUARDED = [
  '.git/commondir',
  '.git/config',
  '.git/config.worktree',
  '.git/hooks',
  '.githooks',
  '.gitmodules',
  '.husky',
  '.mcp.json',
  '.claude/agents',
  '.claude/commands',
  '.claude/hooks',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex',
  '.cursor',
  '.devcontainer',
  '.envrc',
  '.idea',
  '.vscode',
] as const;
/** Folders of submodules, and worktrees, that are looked at. */
const MOST_MODULES = 256;

/** The guarded files of one project. */
export interface Guarded {
  /** Those that are there: a world sees them, and cannot change them. */
  readonly fixed: readonly string[];
  /** The folders around them in the project: each is a mount of its own, so that none can be moved away. */
  readonly around: readonly string[];
  /** Those that are not there: a world could make them. */
  readonly absent: readonly string[];
  /**
   * Those that somebody lets a world write. Each is written in its folder: a mount of its own could not be
   * replaced, which is how most programs write a file.
   */
  readonly freed: readonly string[];
  /** The repositories inside of the project that its index names; undefined: nobody writes there. */
  readonly known: KnownLinks | undefined;
}

/** Of a world that changes no file of the project. */
const NOTHING_GUARDED: Guarded = { fixed: [], around: [], absent: [], freed: [], known: undefined };

/**
 * Looks for the guarded files of a project, but for those that are `written` by somebody's word. A link that
 * leads out of the project leads to nothing that a world shows. `now` is the time, in milliseconds since
 * 1970.
 */
export function guardedFiles(folder: string, written: readonly string[], now: number): Guarded {
  const links = knownLinks(folder, now);
  const parts = [...GUARDED, ...ofBare(folder), ...modules(folder), ...ofLinks(folder, links)];
  const known = parts.map((path) => join(folder, path));
  const all = known.filter((path) => !written.includes(path));
  const fixed = all.filter((path) => isThere(path)).map((path) => realOf(path));
  const inside = fixed.filter((path): path is string => path !== undefined && isWithin(path, folder));
  const around = inside.flatMap((path) => foldersAbove(path, folder));
  return {
    fixed: [...new Set(inside)],
    around: [...new Set(around)],
    absent: all.filter((path) => !isThere(path)),
    freed: known.filter((path) => written.includes(path)),
    known: links,
  };
}

/** All of them: who moves one away makes the others anew. */
function foldersAbove(path: string, top: string): readonly string[] {
  const above: string[] = [];
  for (let at = dirname(path); at !== top && isWithin(at, top); at = dirname(at)) above.push(at);
  return above;
}

/** A world's project, and the paths that somebody lets it write besides. */
export interface Reach {
  readonly folder: string;
  /** The project is behind a layer. */
  readonly isLayered: boolean;
  readonly written: readonly string[];
}

/**
 * The guarded files that a world reaches: those of its project, or behind a layer what stands below the
 * `written` paths, which lead past it; and those of other projects and repositories into which these lead.
 */
export function guardedIn({ folder, isLayered, written }: Reach, now: number): Guarded {
  const own = isLayered ? guardedBelow(folder, written, now) : guardedFiles(folder, written, now);
  const elsewhere = written.filter((path) => !isWithin(path, folder)).map(projectOf);
  const all = [own, ...[...new Set(elsewhere)].map((other) => guardedBelow(other, written, now))];
  const together = (of: 'fixed' | 'around' | 'absent' | 'freed'): readonly string[] => [
    ...new Set(all.flatMap((one) => one[of])),
  ];
  return {
    fixed: together('fixed'),
    around: together('around'),
    absent: together('absent'),
    freed: together('freed'),
    known: own.known,
  };
}

/** The folder in which a path would be a project, or a part of the `.git` of one. */
function projectOf(path: string): string {
  const names = path.split(sep);
  const at = names.indexOf('.git');
  return at === -1 ? path : names.slice(0, at).join(sep) || sep;
}

/** Those that stand below the `written` paths alone. */
function guardedBelow(folder: string, written: readonly string[], now: number): Guarded {
  const reached = written.filter((path) => isWithin(path, folder));
  if (reached.length === 0) return NOTHING_GUARDED;
  const isReached = (path: string): boolean => reached.some((one) => isWithin(path, one));
  const { fixed, absent, ...rest } = guardedFiles(folder, written, now);
  const below = fixed.filter(isReached);
  const around = [...new Set(below.flatMap((path) => foldersAbove(path, folder)).filter(isReached))];
  return { ...rest, fixed: below, around, absent: absent.filter(isReached) };
}

/**
 * Those that a world has made meanwhile, and repositories inside of the project, as `repositoriesSince` finds
 * them; as the project names them, and elsewhere by their whole paths.
 */
export function madeSince({ absent, known }: Guarded, folder: string): readonly string[] {
  const made = absent
    .filter((path) => isThere(path))
    .map((path) => (isWithin(path, folder) ? relative(folder, path) : path));
  return [...new Set([...made, ...(known === undefined ? [] : repositoriesSince(folder, known))])];
}

/** The sentence for people about files that a world has made. */
export function madeRemark(made: readonly string[]): string {
  const names = made.map((path) => `\`${path}\``).join(', ');
  return `the world has made ${names}, which other programs run or obey: look before you go on`;
}

/** Of a folder that is a repository itself. */
function ofBare(folder: string): readonly string[] {
  return ['HEAD', 'objects', 'refs'].every((name) => isThere(join(folder, name))) ? OF_REPOSITORY : [];
}

/**
 * The files that lead git to its hooks and settings: of a repository's submodules and worktrees; `.git`
 * itself, where it is such a file.
 */
function modules(folder: string): readonly string[] {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isFile() === true) return ['.git'];
  return [...ofSubmodules(folder), ...ofWorktrees(folder)];
}

/** The names of submodules may have slashes, and each may have some of its own. */
function ofSubmodules(folder: string): readonly string[] {
  const found: string[] = [];
  const waiting = ['.git/modules'];
  for (let looked = 0; looked < MOST_MODULES && waiting.length > 0; looked += 1) {
    const place = waiting.shift() ?? '';
    const names = foldersIn(join(folder, place));
    if (names === undefined) return ['.git/modules'];
    for (const name of names) {
      const module = `${place}/${name}`;
      if (isThere(join(folder, module, 'HEAD'))) {
        found.push(...OF_REPOSITORY.map((file) => `${module}/${file}`));
        waiting.push(`${module}/modules`);
      } else waiting.push(module);
    }
  }
  // Of those that were not looked at nothing may be changed at all.
  return waiting.length > 0 ? ['.git/modules'] : found;
}

function ofWorktrees(folder: string): readonly string[] {
  const names = foldersIn(join(folder, '.git/worktrees'));
  if (names === undefined || names.length > MOST_MODULES) return ['.git/worktrees'];
  return names.flatMap((name) => OF_WORKTREE.map((file) => `.git/worktrees/${name}/${file}`));
}

/** Of submodules as the index names them: the file that leads to their repository, or its parts. */
function ofLinks(folder: string, { links }: KnownLinks): readonly string[] {
  const places = [...(links ?? [])].map((link) => Buffer.from(link, 'latin1').toString('utf8'));
  return places.slice(0, MOST_MODULES).flatMap((place) => {
    const git = join(folder, place, '.git');
    if (!isThere(git)) return [];
    const isFolder = lstatSync(git).isDirectory();
    return isFolder ? OF_REPOSITORY.map((file) => `${place}/.git/${file}`) : [`${place}/.git`];
  });
}

const OF_WORKTREE = ['commondir', 'config.worktree'] as const;

/** Undefined for a folder that an earlier world has closed. */
function foldersIn(place: string): readonly string[] | undefined {
  if (!isThere(place) || !lstatSync(place).isDirectory()) return [];
  try {
    return readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return undefined;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // A link that leads nowhere.
    return undefined;
  }
}
