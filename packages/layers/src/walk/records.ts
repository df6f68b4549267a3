import { SublError } from '@subluminal/core-types';
import { type BytePath, joined, pathOfLatin1 } from '../files/byte-path.js';
import type { Bounds } from './bounds.js';
import type { Kind } from '../diff/change.js';

/** A thing in the upper folder of a layer. */
export interface UpperEntry {
  /** `whiteout`: the project has something of that name, and the world does not see it. */
  readonly kind: Kind | 'whiteout';
  readonly mode: number;
  readonly size: number;
  readonly inode: bigint;
  readonly changedAt: bigint;
  readonly modifiedAt: bigint;
  /** When the layer got it, in nanoseconds: nobody can set it. 0: the file system does not know. */
  readonly bornAt: bigint;
  /** A folder that hides everything that the project has there. */
  readonly isOpaque: boolean;
}

/** All changes in the upper folder since some time. */
export interface Walked {
  /** When the walk began, in nanoseconds since 1970. */
  readonly beganAt: bigint;
  readonly entries: ReadonlyMap<BytePath, UpperEntry>;
  /** The paths in each folder whose names have changed. */
  readonly names: ReadonlyMap<BytePath, readonly BytePath[]>;
  /** Folders that cannot be read. */
  readonly unreadable: readonly BytePath[];
  /** Not everything was walked. */
  readonly isCut: boolean;
}

const KINDS: Readonly<Record<string, UpperEntry['kind']>> = {
  d: 'folder',
  f: 'file',
  l: 'link',
  o: 'other',
  w: 'whiteout',
};

/** A path is told as a name, as a thing, and as a folder with names. */
const MOST_TELLINGS = 3;

/** Reads the records of `walk.pl`, as they come: those that are outside of the bounds it leaves out, too. */
export class Records {
  #left: number;
  readonly #entries = new Map<BytePath, UpperEntry>();
  readonly #names = new Map<BytePath, BytePath[]>();
  readonly #unreadable: BytePath[] = [];
  #folder: { readonly path: BytePath; readonly names: BytePath[] } | undefined;
  #isCut = false;
  #rest = '';

  constructor({ bytes }: Pick<Bounds, 'bytes'>) {
    this.#left = bytes * MOST_TELLINGS;
  }

  /** Gives what was walked with the last of its records. Throws `failed` for bytes that are none. */
  add(bytes: Buffer): Walked | undefined {
    // Each character of it is a byte, as in a path.
    const all = this.#rest + bytes.toString('latin1');
    let at = 0;
    for (let end = all.indexOf('\0'); end !== -1; end = all.indexOf('\0', at)) {
      const walked = this.#read(all.slice(at, end));
      at = end + 1;
      if (walked !== undefined) return walked;
    }
    this.#rest = all.slice(at);
    return undefined;
  }

  #read(text: string): Walked | undefined {
    const path = (): BytePath => pathOfLatin1(text.slice(2));
    switch (text[0]) {
      case 'D': {
        const names: BytePath[] = [];
        this.#folder = { path: path(), names };
        if (this.#takes(this.#folder.path.length)) this.#names.set(this.#folder.path, names);
        return undefined;
      }
      case 'N':
        // Records of folders in between do not come: a folder's names are told before it is gone into.
        if (this.#folder === undefined) throw unknown();
        if (this.#takes(this.#folder.path.length + text.length))
          this.#folder.names.push(joined(this.#folder.path, path()));
        return undefined;
      case 'E':
        this.#entry(text);
        return undefined;
      case 'U':
        if (this.#takes(text.length)) this.#unreadable.push(path());
        return undefined;
      case 'T':
        this.#isCut = true;
        return undefined;
      case 'Z':
        return {
          beganAt: BigInt(text.slice(2)),
          entries: this.#entries,
          names: this.#names,
          unreadable: this.#unreadable,
          isCut: this.#isCut,
        };
      default:
        throw unknown();
    }
  }

  #takes(bytes: number): boolean {
    this.#left -= bytes;
    this.#isCut ||= this.#left < 0;
    return this.#left >= 0;
  }

  #entry(text: string): void {
    const [head = '', type = '', mode, size, inode = '', changed = '', modified = '', born = '', mark = ''] =
      /^E (.) (\d+) (\d+) (\d+) (\d+) (-?\d+) (\d+) (.) /.exec(text) ?? [];
    const kind = KINDS[type];
    if (kind === undefined) throw unknown();
    if (!this.#takes(text.length - head.length)) return;
    this.#entries.set(pathOfLatin1(text.slice(head.length)), {
      kind,
      mode: Number(mode),
      size: Number(size),
      inode: BigInt(inode),
      changedAt: BigInt(changed),
      modifiedAt: BigInt(modified),
      bornAt: BigInt(born),
      isOpaque: mark === 'o',
    });
  }
}

function unknown(): SublError {
  return new SublError('failed', 'the layer was not told in records that are known');
}
