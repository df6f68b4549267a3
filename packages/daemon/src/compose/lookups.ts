import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { realPathOf } from './real-path.js';

/** Threads of Node's four that a file system without an answer may hold: for paths of calls, for folders. */
export const MOST_AT_ONCE = { paths: 2, folders: 1 } as const;
const MOST_WAITING = 1024;
/** Nobody waits longer for an answer. */
const MOST_WAIT_MS = 1000;

/** No link is followed, and no pipe is waited for. */
async function readBounded(file: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > maxBytes) throw new Error('it is no file of a policy');
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, null);
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
      if (length > maxBytes) throw new Error('it grows');
    }
  } finally {
    await handle.close();
  }
}

const NOTHING_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES']);

/** Looks paths up, a few at once: one that never ends leaves threads for the rest of the gateway. */
export class Lookups {
  readonly #most: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined for what is not there, or may not be looked at: the folder above it is asked then. */
  resolve(path: string): Promise<string | undefined> {
    return this.#inTurn(() => realPathOf(path));
  }

  /** Undefined for what is not there. It throws for what is no file, or a longer one. */
  textOf(file: string, maxBytes: number): Promise<Uint8Array | undefined> {
    return this.#inTurn(() => readBounded(file, maxBytes));
  }

  async #inTurn<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
    const since = performance.now();
    if (this.#running === this.#most) {
      if (this.#waiting.length === MOST_WAITING) throw new Error('too many paths wait to be looked up');
      await new Promise<void>((go) => void this.#waiting.push(go));
    } else this.#running += 1;
    try {
      if (performance.now() - since > MOST_WAIT_MS) throw new Error('nobody waits for it any more');
      return await look();
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
