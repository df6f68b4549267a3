import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import {
  isSublError,
  type JsonValue,
  parseJson,
  processAt,
  type ProcessIdentity,
  SublError,
  textAt,
  valueAt,
} from '@subluminal/core-types';
import { hasCode, syncFolder } from '@subluminal/ipc';
import { type BytePath, namesOf, pathOfLatin1 } from '../files/byte-path.js';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const CHUNK_BYTES = 65_536;
/** A line is a batch of paths: a cut-off or a strange journal ends nothing by its size. */
const MOST_LINE_BYTES = 268_435_456;
const TOKEN = /^[0-9a-f]{32}$/;
const WIDE = /[^\0-\xff]/;

/** A step that leaves a name of its own in the project for a while. */
export interface OpenStep {
  readonly number: number;
  readonly path: BytePath;
}

/** A commit that was begun. */
export interface Begun {
  /** The names that it leaves have it, so that nobody can make one before. */
  readonly token: string;
  readonly holder: ProcessIdentity;
  /** Those whose names may still be there. */
  readonly open: readonly OpenStep[];
}

/**
 * Says which names a commit may have left in the project, before it makes them. It is on the disk before the
 * first of them, and behind that a kill loses nothing of it.
 */
export class Journal {
  readonly #file: string;
  readonly #fd: number;
  #isOver = false;

  private constructor(file: string, fd: number) {
    this.#file = file;
    this.#fd = fd;
  }

  /** Throws `usage` if a commit was begun, and not ended. */
  static begin(file: string, { token, holder }: Pick<Begun, 'token' | 'holder'>): Journal {
    // It gets its name when it says whose it is: a commit that began meanwhile would take an empty one away.
    const fresh = `${file}-${token}`;
    const fd = openSync(fresh, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0o600);
    try {
      const journal = new Journal(file, fd);
      journal.#write({ token, holder: { pid: holder.pid, start: holder.start } });
      fsyncSync(fd);
      linkSync(fresh, file);
      syncFolder(dirname(file));
      return journal;
    } catch (error) {
      closeSync(fd);
      if (!hasCode(error, 'EEXIST')) throw error;
      throw new SublError('usage', 'a commit of this layer is going on', {
        cause: error,
        help: 'wait until it has ended',
      });
    } finally {
      unlinkSync(fresh);
    }
  }

  /** Before the first of their names is made. */
  open(steps: readonly OpenStep[]): void {
    if (steps.length > 0) this.#write({ open: steps.map(({ number, path }) => [number, path]) });
  }

  /** None of the names is there any more. */
  shut(): void {
    this.#write({ shut: true });
  }

  /** The commit is over, and left no name. A second time it does nothing. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    closeSync(this.#fd);
    unlinkSync(this.#file);
    syncFolder(dirname(this.#file));
  }

  #write(line: JsonValue): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`, 'latin1');
    let at = 0;
    while (at < bytes.length) at += writeSync(this.#fd, bytes, at);
  }
}

/**
 * Reads a journal. Undefined where there is none; `empty` where it was cut off before it said anything, so
 * that nothing was done. A last line that was cut off is left out: its names were never made.
 */
export function readJournal(file: string): Begun | 'empty' | undefined {
  let fd: number;
  try {
    fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    let begun: Begun | 'empty' = 'empty';
    for (const line of linesOf(fd)) {
      const said = jsonOf(line);
      if (said === undefined) break;
      begun = begun === 'empty' ? begunOf(said) : followed(begun, said);
    }
    return begun;
  } finally {
    closeSync(fd);
  }
}

function* linesOf(fd: number): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest: Buffer[] = [];
  let restBytes = 0;
  for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) {
    let at = 0;
    for (let end = chunk.indexOf(10); end !== -1 && end < count; end = chunk.indexOf(10, at)) {
      yield Buffer.concat([...rest, chunk.subarray(at, end)]);
      rest = [];
      restBytes = 0;
      at = end + 1;
    }
    rest.push(Buffer.from(chunk.subarray(at, count)));
    restBytes += count - at;
    if (restBytes > MOST_LINE_BYTES) return;
  }
}

function jsonOf(line: Buffer): JsonValue | undefined {
  try {
    return parseJson(line.toString('latin1'));
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

function begunOf(said: JsonValue): Begun {
  const token = textAt(said, 'token');
  const holder = processAt(said, 'holder');
  if (!TOKEN.test(token) || holder === undefined)
    throw new SublError('failed', 'the journal of the layer was not written by this program', {
      help: 'move it away, and look for names that begin with `.sub-` in the project',
    });
  return { token, holder, open: [] };
}

function followed(begun: Begun, said: JsonValue): Begun {
  if (valueAt(said, 'shut') === true) return { ...begun, open: [] };
  const open = valueAt(said, 'open');
  if (!Array.isArray(open)) return begun;
  const steps = open.flatMap((one: JsonValue) => {
    const [number, path] = Array.isArray(one) ? one : [];
    if (typeof number !== 'number' || typeof path !== 'string') return [];
    return Number.isSafeInteger(number) && number >= 0 && isInside(path)
      ? [{ number, path: pathOfLatin1(path) }]
      : [];
  });
  return { ...begun, open: [...begun.open, ...steps] };
}

/** A path that leads out was written by nobody who knows the project. */
function isInside(path: string): boolean {
  if (path.includes('\0') || WIDE.test(path)) return false;
  const names = namesOf(pathOfLatin1(path));
  return names.length > 0 && names.every((name) => name !== '' && name !== '.' && name !== '..');
}
