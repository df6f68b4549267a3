import { realpath } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import type { ObjectParts, UpstreamStore } from '@subluminal/gateway';

/** Threads of Node's four that a file system without an answer may hold. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 1024;

/** This machine, as far as the paths of calls lead there. */
export function thisMachine(upstreams: Pick<UpstreamStore, 'foldersOf'>): ObjectParts {
  const lookups = new Lookups();
  return {
    home: userInfo().homedir,
    tmp: tmpdir(),
    resolve: (path) => lookups.resolve(path),
    serverFolders: (runId, shimId) => upstreams.foldersOf(runId, shimId),
  };
}

const NOTHING_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES']);

/** Looks paths up, a few at once: one that never ends leaves threads for the rest of the gateway. */
class Lookups {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Undefined for what is not there, or may not be looked at: the folder above it is asked then. */
  async resolve(path: string): Promise<string | undefined> {
    if (this.#running === MOST_AT_ONCE) {
      if (this.#waiting.length === MOST_WAITING) throw new Error('too many paths wait to be looked up');
      await new Promise<void>((go) => void this.#waiting.push(go));
    } else this.#running += 1;
    try {
      return await realpath(path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && NOTHING_THERE.has(error.code)) return undefined;
      throw error;
    } finally {
      // The place goes to the next one that waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
