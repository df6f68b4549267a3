import { HOLE } from '../shell/marks.js';

/** Where names of files are read from. Absolute paths. */
export interface Place {
  /**
   * The nearest folder with `.git` or `.subluminal.yaml` above the run's folder, else that; undefined for
   * none.
   */
  readonly project: string | undefined;
  readonly home: string;
  readonly tmp: string;
  /** The folders that a relative name may be meant from, the run's first. */
  readonly cwd: readonly string[];
}

/**
 * The absolute, normal form of a name as a program would read it: `file://` and one round of percent forms,
 * `~`, `$HOME` and `%USERPROFILE%` at its start, `.` and `..` by their words alone, doubled slashes,
 * `/proc/self/root`. A name that only run time knows stays as it is.
 */
export function normalPath(name: string, from: string, place: Place): string {
  const path = expandHome(fromUri(name), place);
  if (path.startsWith(HOLE)) return path;
  const absolute = path.startsWith('/') ? path : `${from}/${path}`;
  return absolute.startsWith(HOLE) ? absolute : withoutDots(absolute);
}

/**
 * The same name with its `..` as they were written; undefined for one without. The file system goes through
 * a link before it goes up, so that `link/..` is another folder than the words say.
 */
export function climbingPath(name: string, from: string, place: Place): string | undefined {
  if (!/(?:^|\/)\.\.(?:\/|$)/.test(name)) return undefined;
  const path = expandHome(fromUri(name), place);
  const absolute = path.startsWith('/') ? path : `${from}/${path}`;
  return absolute.includes(HOLE) || !absolute.startsWith('/') ? undefined : absolute;
}

/**
 * A name as Windows reads it, where it is written so: with `\\` between folders, without `:stream` and the
 * dots and blanks at the end of a name, and `C:\\x` as `/C:/x`.
 */
export function windowsForms(name: string): readonly string[] {
  const drive = /^(?:\\\\[?.]\\)?([a-z]:)(?=[\\/])/i.exec(name);
  if (drive === null && !name.includes('\\')) return [];
  const rest = (drive === null ? name : name.slice(drive[0].length)).replaceAll('\\', '/');
  const kept = rest
    .split('/')
    .map((part) => (/^\.*$/.test(part) ? part : part.replace(/:.*$/s, '').replace(/[. ]+$/, '')))
    .join('/');
  return [drive === null ? kept : `/${drive[1]}${kept}`];
}

function fromUri(name: string): string {
  if (!/^\s*file:/i.test(name)) return name;
  const path = name
    .trimStart()
    .slice('file:'.length)
    .replaceAll('\\', '/')
    .replace(/^\/\/[^/]*(?=\/)/, '')
    .replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function expandHome(name: string, { home }: Place): string {
  const start = /^(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)(?=[/\\]|$)/i.exec(name);
  if (start !== null) return home + name.slice(start[0].length);
  const other = /^~([A-Za-z_][A-Za-z0-9_.-]*)(?=\/|$)/.exec(name);
  return other === null
    ? name
    : `${home.slice(0, home.lastIndexOf('/') + 1)}${other[1]}${name.slice(other[0].length)}`;
}

function withoutDots(absolute: string): string {
  if (!/\/(?:\/|\.|$|proc)/.test(absolute)) return absolute;
  const kept: string[] = [];
  for (const segment of absolute.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') kept.pop();
    else kept.push(segment);
  }
  const [proc, who, root] = kept;
  const isRoot =
    proc === 'proc' && root === 'root' && who !== undefined && /^(?:self|thread-self|[0-9]+)$/.test(who);
  return `/${(isRoot ? kept.slice(3) : kept).join('/')}`;
}
