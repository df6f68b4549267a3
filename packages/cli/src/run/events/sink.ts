import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { whyOf } from '../../output/system-error.js';

/** How long to wait before a pipe that is full is asked again. */
const FULL_MS = 10;
const HELP = 'the ledger has all of them: `sub tail --run ID --no-follow --json`';

/** Where the events of a run go. */
export interface EventSink {
  /** How a person would name it. */
  readonly name: string;
  /** Writes all of it, as slowly as it is read. Rejects with `failed`, saying why. */
  write(text: string): Promise<void>;
  /**
   * Throws `failed` where a file no longer holds as much as was written, or another stands in its place: the
   * command can reach it.
   */
  verify(): void;
  close(): void;
}

/** One write to a descriptor; gives how many bytes it took. Tests give their own. */
export type WriteBytes = (fd: number, bytes: Buffer) => Promise<number>;

/**
 * Opens what `--events` names: `-` is stdout; a file is created for its owner alone, or appended to.
 *
 * @throws SublError `failed` where it cannot be opened.
 */
export function openSink(target: string, writeBytes: WriteBytes = writeOnce): EventSink {
  if (target === '-')
    return { ...sinkOf(1, 'stdout', writeBytes), verify: () => undefined, close: () => undefined };
  const { fd, isCutOff, size } = open(target);
  const sink = sinkOf(fd, target, writeBytes);
  let before = isCutOff ? '\n' : '';
  let written = 0;
  return {
    ...sink,
    write(text) {
      const whole = before + text;
      before = '';
      written += Buffer.byteLength(whole, 'utf8');
      return sink.write(whole);
    },
    verify: () => assertThere(fd, target, size + written),
  };
}

function assertThere(fd: number, path: string, size: number): void {
  const ours = fstatSync(fd);
  if (!ours.isFile()) return;
  const named = statSync(path, { throwIfNoEntry: false });
  const isOurs = named !== undefined && named.ino === ours.ino && named.dev === ours.dev;
  if (isOurs && ours.size >= size) return;
  const what = isOurs ? 'it was cut' : 'it is not the file any more that they were written to';
  throw new SublError('failed', `the events of the run are not complete: \`${path}\`: ${what}`, {
    help: HELP,
  });
}

/** `isCutOff`: the file ends in the middle of a line, which then stays one of its own. */
function open(path: string): { readonly fd: number; readonly isCutOff: boolean; readonly size: number } {
  const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants;
  try {
    const flags = careful(path);
    const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | flags, 0o600);
    const stats = fstatSync(fd);
    const { size } = stats;
    if (!stats.isFile() || size === 0) return { fd, isCutOff: false, size: 0 };
    const reading = openSync(path, O_RDONLY | flags);
    try {
      const last = Buffer.alloc(1);
      readSync(reading, last, 0, 1, size - 1);
      return { fd, isCutOff: last.toString('latin1') !== '\n', size };
    } finally {
      closeSync(reading);
    }
  } catch (cause) {
    throw new SublError('failed', `the events cannot be written to \`${path}\`: ${whyNotOpen(cause)}`, {
      cause,
      help: 'give `--events` a file in a folder that is there, or `-` for stdout',
    });
  }
}

/**
 * Waits for no reader of a pipe, and follows no link: a repository may have laid one. The system's own are
 * descriptors; those in `/dev/shm` are anybody's.
 */
function careful(path: string): number {
  const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const isOfSystem = /^\/(?:dev$|proc(?:\/|$))/.test(realpathSync(dirname(path)));
  return (O_NOCTTY ?? 0) | (O_NONBLOCK ?? 0) | (isOfSystem ? 0 : (O_NOFOLLOW ?? 0));
}

function whyNotOpen(cause: unknown): string {
  const code: unknown = Reflect.get(Object(cause), 'code');
  if (code === 'ELOOP') return 'it is a link';
  return code === 'ENXIO' ? 'it is a pipe, and nobody reads it' : whyOf(cause);
}

function sinkOf(fd: number, name: string, writeBytes: WriteBytes): Omit<EventSink, 'verify'> {
  return {
    name,
    async write(text) {
      let rest = Buffer.from(text, 'utf8');
      while (rest.length > 0) {
        try {
          rest = rest.subarray(await writeBytes(fd, rest));
        } catch (cause) {
          if (!isFull(cause)) throw failed(name, cause);
          await new Promise((resolve) => setTimeout(resolve, FULL_MS));
        }
      }
    },
    close: () => closeSync(fd),
  };
}

function writeOnce(fd: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, (error, written) => {
      if (error === null) resolve(written);
      else reject(error);
    });
  });
}

function isFull(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EAGAIN';
}

function failed(name: string, cause: unknown): SublError {
  const isGone = cause instanceof Error && 'code' in cause && cause.code === 'EPIPE';
  const why = isGone ? 'nobody reads it any more' : whyOf(cause);
  return new SublError('failed', `the events of the run are not complete: \`${name}\` ends early, ${why}`, {
    cause,
    help: HELP,
  });
}
