import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A tree of control groups, and the group of this process in it. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Of version 1: the controllers of the whole tree. Version 2 has them in each group. */
  readonly controllers: readonly string[];
  /** The root of the tree, as far as this machine shows it. */
  readonly top: string;
  readonly own: string;
}

/** Line of /proc/self/mountinfo: root in the tree, place; then type and options behind a dash. */
const MOUNT = /^\d+ \d+ \S+ (\S+) (\S+) .* - (cgroup2?) \S+ (\S+)$/u;

/**
 * The control groups of this machine, by what it says of its mounts and of this process. Empty if it says
 * nothing of them.
 */
export function hierarchies(at = '/proc/self'): readonly Hierarchy[] {
  const groups = linesOf(join(at, 'cgroup')).map((line) => line.split(':'));
  return linesOf(join(at, 'mountinfo')).flatMap((line) => {
    const [, root, place, type, options] = MOUNT.exec(line) ?? [];
    if (root === undefined || place === undefined || options === undefined) return [];
    const version = type === 'cgroup2' ? 2 : 1;
    const words = options.split(',');
    const group = groups.find(([number, controllers = '']) =>
      version === 2 ? number === '0' : controllers !== '' && words.includes(controllers.split(',')[0] ?? ''),
    );
    const path = group?.slice(2).join(':');
    // A group outside of what is mounted cannot be reached.
    const below = path === undefined ? undefined : relative(root, path);
    if (below === undefined || below.startsWith('..')) return [];
    const controllers = version === 2 ? [] : (group?.[1]?.split(',') ?? []);
    return [{ version, controllers, top: place, own: join(place, below) }];
  });
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    // No /proc, or no control groups: then a world has none.
    return [];
  }
}
