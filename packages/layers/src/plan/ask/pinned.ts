import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Diff, FileState } from '../../diff/change.js';
import { type BytePath, split } from '../../files/byte-path.js';
import type { Folder } from '../../files/folder.js';
import { Folders } from '../../files/folders.js';
import { openSource, type Source } from '../../files/source.js';
import { deniedBy } from '../denied.js';
import type { Agreed, Ask } from '../steps.js';

const CHUNK_BYTES = 262_144;

/**
 * Pins what a person is asked about, before it is shown: the bytes of each file by their hash. A commit takes
 * over what was pinned, or nothing. The time of a file is no sign that it is the same: a program that has it
 * mapped writes without any. A file that changes meanwhile, or cannot be read, gets no hash, and its yes
 * takes nothing over. Throws the system's errors that concern the whole.
 */
export async function pinned(
  asks: readonly Ask[],
  { diff, upper }: { readonly diff: Diff; readonly upper: Folder },
): Promise<readonly Agreed[]> {
  const changes = new Map(diff.changes.map(({ path, after }) => [path, after]));
  const folders = new Folders(upper);
  const reader = new Reader(folders);
  try {
    const all: Agreed[] = [];
    for (const ask of asks) {
      const after = changes.get(ask.path);
      all.push({ ...ask, after: after?.kind === 'file' ? await reader.read(ask.path, after) : after });
    }
    return all;
  } finally {
    folders.close();
  }
}

class Reader {
  readonly #folders: Folders;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);

  constructor(folders: Folders) {
    this.#folders = folders;
  }

  /** With its hash; one that the look has is kept, since it may be the reason for which the bytes differ. */
  async read(path: BytePath, state: FileState): Promise<FileState> {
    if (state.sha256 !== undefined) return state;
    const source = this.#open(path, state);
    if (source === undefined) return state;
    try {
      const sha256 = await this.#hash(source, state.size);
      const now = fstatSync(source.fd, { bigint: true });
      const isStill = now.ctimeNs === source.stats.ctimeNs && now.size === source.stats.size;
      // To open one that its owner may not read has changed its time.
      return isStill ? { ...state, sha256, changedAt: now.ctimeNs } : state;
    } finally {
      closeSync(source.fd);
    }
  }

  #open(path: BytePath, state: FileState): Source | undefined {
    const { folder, name } = split(path);
    try {
      const open = this.#folders.at(folder);
      return open === undefined ? undefined : openSource(open, name, state);
    } catch (error) {
      if (deniedBy(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Undefined if it has other than so many bytes. */
  async #hash({ fd }: Source, size: number): Promise<string | undefined> {
    const hash = createHash('sha256');
    let left = size;
    for (;;) {
      const count = readSync(fd, this.#chunk, 0, CHUNK_BYTES, null);
      if (count === 0) return left === 0 ? hash.digest('hex') : undefined;
      left -= count;
      if (left < 0) return undefined;
      hash.update(this.#chunk.subarray(0, count));
      await setImmediate();
    }
  }
}
