import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import { type BytePath, bytePath, bytesOf, ROOT } from './byte-path.js';

const ASCII = /^[ -~]*$/;
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * A folder by its descriptor. Node has no `openat`: a name in it is reached by `/proc/self/fd/N/NAME`, for
 * which the kernel looks at the open folder and at no path. So whoever swaps the folder for a link meanwhile
 * leads nobody elsewhere, and no path can be too long.
 */
export class Folder {
  readonly fd: number;
  readonly #path: string;

  private constructor(fd: number) {
    this.fd = fd;
    this.#path = `/proc/self/fd/${fd}/`;
  }

  /** Opens the folder of that path, which may have links above its last name. Throws the system's errors. */
  static open(path: string): Folder {
    return new Folder(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** Opens a folder in this one. Throws `ENOENT`, and `ENOTDIR` or `ELOOP` if the name is something else. */
  folder(name: BytePath): Folder {
    return new Folder(openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** This folder, by a descriptor of its own. */
  again(): Folder {
    return new Folder(openSync(`${this.#path}.`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /**
   * Opens a file in this folder to read it; never waits for the other side of a pipe. Throws `ELOOP` for a
   * link. The caller looks by `fstat` whether it is a file, and closes it.
   */
  file(name: BytePath): number {
    return openSync(this.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }

  /** Undefined where nothing has that name. */
  look(name: BytePath): BigIntStats | undefined {
    return lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
  }

  /** The folder itself. */
  get stats(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }

  /** The text of a link in this folder; empty, as that of no link is, where it is none any more. */
  link(name: BytePath): BytePath {
    try {
      return bytePath(readlinkSync(this.at(name), { encoding: 'buffer' }));
    } catch (error) {
      if (hasCode(error, 'EINVAL', 'ENOENT')) return ROOT;
      throw error;
    }
  }

  /** The names in it, in no order. */
  names(): readonly BytePath[] {
    return readdirSync(this.#path, { encoding: 'buffer' }).map((name) => bytePath(name));
  }

  /** Whether nothing stands in that folder of it. Throws as `folder` does. */
  isEmpty(name: BytePath): boolean {
    const open = this.folder(name);
    try {
      return open.names().length === 0;
    } finally {
      open.close();
    }
  }

  /** The path of a name in it, for calls of the system: none of them may follow a link in its place. */
  at(name: BytePath): Buffer | string {
    // Of seven bits each byte is a character, and a text costs less.
    if (ASCII.test(name)) return this.#path + name;
    return Buffer.concat([Buffer.from(this.#path), bytesOf(name)]);
  }

  close(): void {
    closeSync(this.fd);
  }
}
