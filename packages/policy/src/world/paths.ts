/** A path that a policy shows to worlds, or hides from them: where it begins, and the names from there. */
export interface WorldPath {
  readonly root: 'home' | 'project' | 'file system';
  readonly names: readonly string[];
}

export type WorldPathReading =
  | { readonly ok: true; readonly path: WorldPath }
  | { readonly ok: false; readonly why: string };

const ROOTS: readonly (readonly [RegExp, WorldPath['root']])[] = [
  [/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, 'home'],
  [/^(?:\$PROJECT|\$\{PROJECT\})(?=\/|$)/, 'project'],
  [/^(?=\/)/, 'file system'],
];
/** Folders that hold everybody's things. */
const WIDE: ReadonlySet<string> = new Set(
  ' bin boot dev etc home lib mnt opt proc root run sbin srv sys tmp usr var'.split(' '),
);

/** Reads a path of `fs.read` or `fs.write`: one path, and no pattern. */
export function readShownPath(text: string): WorldPathReading {
  const found = ROOTS.find(([start]) => start.test(text));
  if (found === undefined) return { ok: false, why: 'it begins with none of `/`, `~/` and `$PROJECT/`' };
  return pathOf(found[1], text.replace(found[0], ''));
}

/** Reads a path of `fs.hide`, which is one of the project: `.env`, `$PROJECT/.env`. */
export function readHiddenPath(text: string): WorldPathReading {
  const inner = text.replace(/^(?:\$PROJECT|\$\{PROJECT\})\//, '');
  if (/^[/~$]/.test(inner)) return { ok: false, why: 'it is no path of the project' };
  const reading = pathOf('project', inner);
  if (reading.ok && reading.path.names.length === 0) return { ok: false, why: 'it is the project itself' };
  return reading;
}

/** Whether a world that may write there confines nothing: the home, the file system, what holds all homes. */
export function isTooWide({ root, names }: WorldPath): boolean {
  if (root === 'home') return names.length === 0;
  return root === 'file system' && names.length < 2 && WIDE.has(names[0] ?? '');
}

function pathOf(root: WorldPath['root'], rest: string): WorldPathReading {
  const names = rest.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return { ok: false, why: 'it has `..` in it' };
  if (/[*?[\]{}\\\0]/.test(rest)) return { ok: false, why: 'it is a pattern, and one path is needed' };
  return { ok: true, path: { root, names } };
}
