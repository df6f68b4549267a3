import { closeSync, fstat, open, readlinkSync, type Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';

/** Names a file without opening it; Node has no name for it. */
const O_PATH = 0o10_000_000;
/** Linux ends the name of a file that is gone with it. A folder may be called so, too. */
const GONE = ' (deleted)';

/**
 * A path without links. On Linux the system follows them in one step: realpath(3) looks at each part of a
 * path by itself, and folders and links that a run has made keep it busy for a quarter of a minute, in a
 * thread that others wait for. Throws the system's error for what is not there, one without a code where
 * nobody can tell.
 */
export async function realPathOf(path: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(path);
  const file = await named(path);
  try {
    const found = nameOf(file);
    if (found?.endsWith(GONE) === true && !(await isAt(file, found))) throw new Error('it is gone');
    // A socket has no path, and some systems have no /proc.
    return found?.startsWith('/') === true ? found : await realpath(path);
  } finally {
    closeSync(file);
  }
}

function named(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, O_PATH, (error, file) => (error === null ? resolve(file) : reject(error)));
  });
}

/** The system's own name for it: no file system is asked. */
function nameOf(file: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error('its name is longer than a path', { cause: error });
  }
}

async function isAt(file: number, path: string): Promise<boolean> {
  const one = await new Promise<Stats>((resolve, reject) => {
    fstat(file, (error, stats) => (error === null ? resolve(stats) : reject(error)));
  });
  const other = await stat(path);
  return one.ino === other.ino && one.dev === other.dev;
}
