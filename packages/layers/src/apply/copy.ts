import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { FileState } from '../diff/change.js';
import type { BytePath } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { openSource, type Source } from '../files/source.js';
import type { Owner } from './owner.js';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const CHUNK_BYTES = 262_144;
/** Bytes between two turns of the event loop. */
const TURN_BYTES = 16_777_216;
const BLOCK_BYTES = 512n;
const NS_OF_S = 1e9;

/** A file of the layer, and the name that its copy gets in a folder of the project. */
export interface Copy {
  readonly from: FileState;
  readonly layer: Folder;
  readonly name: BytePath;
  readonly project: Folder;
  readonly fresh: BytePath;
  readonly mode: number;
  readonly owner: Owner;
}

/** The copy, still open. */
export interface Copied {
  readonly fd: number;
  readonly inode: bigint;
}

/** Copies files, one at a time. */
export class Copier {
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);

  /**
   * Gives the copy, with its permissions, owner and time; undefined if the layer's file is another one than
   * `from` says. Then, and if it throws an error of the system, there is no copy.
   */
  async copy(of: Copy): Promise<Copied | undefined> {
    const source = openSource(of.layer, of.name, of.from);
    if (source === undefined) return undefined;
    try {
      const fd = openSync(of.project.at(of.fresh), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      const isTaken = await this.#fill(of, source, fd).catch((error: unknown) => {
        dropped(of, fd);
        throw error;
      });
      if (isTaken) return { fd, inode: fstatSync(fd, { bigint: true }).ino };
      dropped(of, fd);
      return undefined;
    } finally {
      closeSync(source.fd);
    }
  }

  async #fill({ from, mode, owner }: Copy, source: Source, fd: number): Promise<boolean> {
    const hash = from.sha256 === undefined ? undefined : createHash('sha256');
    const hasHoles = source.stats.blocks * BLOCK_BYTES < source.stats.size;
    let at = 0;
    let turnAt = TURN_BYTES;
    while (at < from.size) {
      const count = readSync(source.fd, this.#chunk, 0, CHUNK_BYTES, null);
      if (count === 0 || at + count > from.size) return false;
      const bytes = this.#chunk.subarray(0, count);
      hash?.update(bytes);
      if (!hasHoles || !isZero(bytes)) writeAll(fd, bytes, at);
      at += count;
      if (at >= turnAt) {
        turnAt = at + TURN_BYTES;
        await setImmediate();
      }
    }
    if (hasHoles) ftruncateSync(fd, at);
    const now = fstatSync(source.fd, { bigint: true });
    const isStill = now.ctimeNs === source.stats.ctimeNs && now.size === source.stats.size;
    if (!isStill || (hash !== undefined && hash.digest('hex') !== from.sha256)) return false;
    owner.give(fd);
    fchmodSync(fd, mode);
    const time = Number(from.modifiedAt) / NS_OF_S;
    futimesSync(fd, time, time);
    return true;
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.compare(bytes, 0, bytes.length - 1, 1) === 0;
}

function writeAll(fd: number, bytes: Buffer, at: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

function dropped({ project, fresh }: Copy, fd: number): void {
  closeSync(fd);
  unlinkSync(project.at(fresh));
}
