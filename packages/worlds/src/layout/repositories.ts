import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from 'node:fs';
import { gitlinksOf, indexOf } from './git-index.js';

/** Files that lead git to settings and hooks, in the folder of a repository. */
export const OF_REPOSITORY = ['commondir', 'config', 'config.worktree', 'hooks'] as const;

/**
 * Folders of a project that are looked through for repositories, the nearest ones first, and what stands in
 * all of them: a look at a whole project of any size would take longer than most commands.
 */
const MOST_FOLDERS = 512;
const MOST_ENTRIES = 65_536;
/** Bytes of a folder itself: some ten thousand files. */
const LARGE = 524_288;
/** Hooks that are looked at. */
const MOST_HOOKS = 256;
/** Folders of other people's programs come last: there are many. */
const LAST: ReadonlySet<string> = new Set(['node_modules']);
const SLASH = Buffer.from('/');

/** The repositories that the index of a project names, before something runs there. */
export interface KnownLinks {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** In the bytes of their names (latin1); undefined if the index cannot be read. */
  readonly links: ReadonlySet<string> | undefined;
}

/** Looks which repositories the index of a project names. */
export function knownLinks(folder: string, since: number): KnownLinks {
  const index = indexOf(folder);
  return { since, links: index === undefined ? new Set() : gitlinksOf(index) };
}

/**
 * The repositories inside of a project that were made, or led elsewhere, since then, as the project names
 * them: git runs the settings of each as soon as somebody works there, and those of one that the index names
 * as soon as somebody asks for the state of the project. The index is read as a whole; of the folders besides
 * a bounded number is looked through. Times are those of the file system, which no program of a world sets.
 */
export function repositoriesSince(folder: string, { since, links }: KnownLinks): readonly string[] {
  const index = indexOf(folder);
  const named = index === undefined ? new Set<string>() : gitlinksOf(index);
  const isUnread = named === undefined && (factsOf(Buffer.from(index ?? ''))?.ctimeMs ?? since) >= since;
  const linked = [...(named ?? [])].flatMap((link) => {
    const place = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(link, 'latin1')]);
    const isNamed = links !== undefined && !links.has(link);
    return [...(isNamed ? [place] : []), ...newIn(place, ['.git'], since)];
  });
  const found = [...linked, ...walked(Buffer.from(folder), since)];
  const names = found.map((path) => path.toString('utf8').slice(folder.length + 1));
  return [...new Set([...(isUnread ? ['.git/index'] : []), ...names])];
}

function walked(folder: Buffer, since: number): readonly Buffer[] {
  const found: Buffer[] = [];
  const near = [folder];
  const far: Buffer[] = [];
  let left = MOST_ENTRIES;
  for (let looked = 0; looked < MOST_FOLDERS && left > 0; looked += 1) {
    const place = near.shift() ?? far.shift();
    if (place === undefined) break;
    const entries = entriesOf(place, left);
    left -= entries.length;
    const names = entries.map(({ name }) => name);
    const isRoot = place === folder;
    // Of the project's own repository the files are guarded, if it is no file that leads elsewhere.
    found.push(
      ...newIn(place, names, since).filter((one) => !isRoot || factsOf(one)?.isDirectory() === false),
    );
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name === '.git') continue;
      (LAST.has(entry.name) ? far : near).push(inside(place, entry.name));
    }
  }
  return found;
}

/** The parts of a folder that are a new repository: its `.git`, or itself, if it is one without files. */
function newIn(place: Buffer, names: readonly string[], since: number): readonly Buffer[] {
  const git = names.includes('.git') ? inside(place, '.git') : undefined;
  const isBare = ['HEAD', 'objects', 'refs'].every((name) => names.includes(name));
  return [git, isBare ? place : undefined].flatMap((one) =>
    one !== undefined && isNew(one, since) ? [one] : [],
  );
}

function isNew(git: Buffer, since: number): boolean {
  const facts = factsOf(git);
  if (facts?.isDirectory() !== true) return facts !== undefined && facts.ctimeMs >= since;
  if (facts.birthtimeMs >= since) return true;
  const hooks = inside(git, 'hooks');
  const parts = [
    ...OF_REPOSITORY.map((name) => inside(git, name)),
    ...entriesOf(hooks, MOST_HOOKS).map(({ name }) => inside(hooks, name)),
  ];
  return parts.some((part) => (factsOf(part)?.ctimeMs ?? -1) >= since);
}

/** At most so many; none of a folder that is gone, or not ours to read. */
function entriesOf(place: Buffer, most: number): readonly Dirent[] {
  try {
    const isLarge = lstatSync(place).size > LARGE;
    return isLarge ? firstOf(place, most) : readdirSync(place, { encoding: 'latin1', withFileTypes: true });
  } catch {
    return [];
  }
}

/** A world may put so many files into a folder that all of them would be more than this process can take. */
function firstOf(place: Buffer, most: number): readonly Dirent[] {
  const entries: Dirent[] = [];
  const folder = opendirSync(place, { encoding: 'latin1', bufferSize: 1024 });
  try {
    while (entries.length < most) {
      const entry = folder.readSync();
      if (entry === null) break;
      entries.push(entry);
    }
  } finally {
    folder.closeSync();
  }
  return entries;
}

function factsOf(path: Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** The name in its bytes: it need not be a text. */
function inside(place: Buffer, name: string): Buffer {
  return Buffer.concat([place, SLASH, Buffer.from(name, 'latin1')]);
}
