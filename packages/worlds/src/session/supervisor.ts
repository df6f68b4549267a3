import type { Duplex } from 'node:stream';
import type { ProcessIdentity } from '@subluminal/core-types';
import type { StartedPrograms } from './started-programs.js';

/** A program that somebody has brought to the door of a world. */
export interface AskedProgram {
  /** The number that the world gave to whoever brought it. */
  readonly id: number;
  /** The process that has brought it, as the kernel tells. */
  readonly asker: ProcessIdentity;
  /** Rows and columns of the terminal that it is to have; undefined where it has descriptors of its own. */
  readonly terminal: { readonly rows: number; readonly columns: number } | undefined;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** How a program of a world ended. */
export interface ProgramEnd {
  readonly id: number;
  /** As wait(2) tells it. */
  readonly status: number;
  readonly userMs: number;
  readonly systemMs: number;
  /** The most memory that it had at once. */
  readonly kilobytes: number;
}

export interface SupervisorHandlers {
  /** The world is up. */
  readonly ready: () => void;
  readonly asked: (program: AskedProgram) => void;
  /** Somebody asks for the end of the world, if nothing runs there; a no is `refuse`. */
  readonly endAsked: (id: number, asker: ProcessIdentity) => void;
  readonly ended: (end: ProgramEnd) => void;
  /** Nobody waits for that program any more. */
  readonly gone: (id: number) => void;
  /** A limit was reached: a program of the world was ended, or all of it. */
  readonly reached: (limit: WatchedLimit) => void;
  /** The answer to `count`. */
  readonly counted: (processes: number) => void;
  /**
   * That program has started others, in the words that `StartedPrograms` takes; 0 is the world's own one.
   * Those of a program come before its end, and again when what it left behind has ended.
   */
  readonly started: (id: number, words: readonly string[]) => void;
  /**
   * Mounts of the world are gone, and everything there stands still until they are made again. Gives those
   * where nothing is any more; undefined: they cannot be made, and the world ends. Does not reject.
   */
  readonly unguarded: (places: readonly string[]) => Promise<readonly string[] | undefined>;
}

/** A limit that the world's first process keeps. */
export type WatchedLimit = 'memory' | 'wall';

/** A frame is no longer than this, as `enter/wire.pl` has it. */
const MAX_BODY = 1_048_576;
const HEAD = 5;

/**
 * The first process of a world, at the other end of its line: it asks for each program that is brought to
 * its door, and starts the one that it is told. Frames are bounded, and one that is none ends the world.
 */
export class Supervisor {
  readonly #line: Duplex;
  readonly #handlers: SupervisorHandlers;
  #buffer = Buffer.alloc(0);

  constructor(line: Duplex, handlers: SupervisorHandlers) {
    this.#line = line;
    this.#handlers = handlers;
    line.on('error', () => undefined);
    line.on('data', (bytes: Buffer) => this.#take(bytes));
  }

  /** Has a program run. `told` is for whoever brought it. */
  begin(told: string, { id, terminal, folder, env, command }: Omit<AskedProgram, 'asker'>): void {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const flags = terminal === undefined ? '' : `p ${terminal.rows} ${terminal.columns}`;
    const words = [told, flags, folder, String(variables.length), ...variables, ...command];
    this.#send('G', Buffer.concat([numbers(id), wordsToBody(words)]));
  }

  /** Has a program not run, or the world not end. `text` is for whoever asked. */
  refuse(id: number, text: string): void {
    this.#send('N', Buffer.concat([numbers(id), Buffer.from(text)]));
  }

  /** Asks how many processes the world has, besides its first one. */
  count(): void {
    this.#send('Q', Buffer.alloc(4));
  }

  /** Ends the world. */
  close(): void {
    this.#line.destroy();
  }

  #send(kind: string, body: Buffer): void {
    this.#line.write(Buffer.concat([Buffer.from(kind), numbers(body.length), body]));
  }

  #take(bytes: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    while (this.#buffer.length >= HEAD) {
      const length = this.#buffer.readUInt32BE(1);
      if (length > MAX_BODY) return this.close();
      if (this.#buffer.length < HEAD + length) return;
      const kind = String.fromCharCode(this.#buffer[0] ?? 0);
      const body = this.#buffer.subarray(HEAD, HEAD + length);
      this.#buffer = this.#buffer.subarray(HEAD + length);
      if (!this.#hear(kind, body)) return this.close();
    }
  }

  /** Whether it was a frame of the world's. */
  #hear(kind: string, body: Buffer): boolean {
    if (kind === 'r') {
      this.#handlers.ready();
      return true;
    }
    if (kind === 'L') {
      const name = body.toString('latin1');
      if (name !== 'memory' && name !== 'wall') return false;
      this.#handlers.reached(name);
      return true;
    }
    if (kind === 'M') {
      void this.#handlers
        .unguarded(bodyToWords(body) ?? [])
        .then((without) =>
          this.#send('M', wordsToBody(without === undefined ? ['lost'] : ['held', ...without])),
        );
      return true;
    }
    if (body.length < 4) return false;
    const id = body.readUInt32BE(0);
    if (kind === 'C') this.#handlers.gone(id);
    else if (kind === 'Q') this.#handlers.counted(id);
    else if (kind === 'P') this.#handlers.started(id, bodyToWords(body.subarray(4)) ?? []);
    else if (kind === 'X' && body.length === 20) this.#handlers.ended(endOf(body));
    else if (kind === 'A') return this.#ask(id, body.subarray(4));
    else if (kind === 'H') {
      const [pid, start = ''] = bodyToWords(body.subarray(4)) ?? [];
      this.#handlers.endAsked(id, { pid: Number(pid), start });
    } else return false;
    return true;
  }

  #ask(id: number, body: Buffer): boolean {
    const words = bodyToWords(body) ?? [];
    const [pid, start, flags, folder, count, ...rest] = words;
    const variables = Number(count);
    const isProgram =
      start !== undefined &&
      flags !== undefined &&
      folder !== undefined &&
      // The kernel would take each word up to there, and so another one than was judged.
      words.every((word) => !word.includes('\0')) &&
      Number.isInteger(variables) &&
      variables >= 0 &&
      rest.length > variables;
    if (!isProgram) {
      this.refuse(id, 'this is no program');
      return true;
    }
    const size = /^p (\d{1,5}) (\d{1,5})$/.exec(flags);
    this.#handlers.asked({
      id,
      asker: { pid: Number(pid), start },
      terminal: size === null ? undefined : { rows: Number(size[1]), columns: Number(size[2]) },
      folder,
      env: Object.fromEntries(rest.slice(0, variables).map((one) => splitAt(one, one.indexOf('=')))),
      command: rest.slice(variables),
    });
    return true;
  }
}

/** Keeps what is heard of a world, and makes its mounts again. */
export interface HeardWorld {
  noticed(limit: WatchedLimit): void;
  readonly programs: StartedPrograms;
  guardAgain(world: number, places: readonly string[]): Promise<readonly string[] | undefined>;
}

/**
 * Takes what the first process of a world with one program tells of its limits, its programs and its mounts.
 * `world` is the process that was spawned for it. Resolves when it has nothing more to tell.
 */
export function hearWorld(line: Duplex, heard: HeardWorld, world: number): Promise<void> {
  const nothing = (): void => undefined;
  const handlers = {
    ready: nothing,
    asked: nothing,
    endAsked: nothing,
    ended: nothing,
    gone: nothing,
    counted: nothing,
  };
  const over = new Promise<void>((resolve) => line.once('close', resolve));
  // It lives as long as its line is heard.
  void new Supervisor(line, {
    ...handlers,
    reached: (limit) => heard.noticed(limit),
    started: (_id, words) => void heard.programs.add(words),
    unguarded: (places) => heard.guardAgain(world, places),
  });
  return over;
}

/** The words of a program, as `enter/attach.pl` takes them. */
export function wordsOfProgram({
  folder,
  env,
  command,
}: Pick<AskedProgram, 'command' | 'env' | 'folder'>): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return wordsToBody([folder, String(variables.length), ...variables, ...command]);
}

function endOf(body: Buffer): ProgramEnd {
  const at = (index: number): number => body.readUInt32BE(4 * index);
  return { id: at(0), status: at(1), userMs: at(2), systemMs: at(3), kilobytes: at(4) };
}

function splitAt(text: string, index: number): [string, string] {
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}

function numbers(...all: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * all.length);
  all.forEach((one, index) => bytes.writeUInt32BE(one, 4 * index));
  return bytes;
}

function wordsToBody(words: readonly string[]): Buffer {
  return Buffer.concat(words.flatMap((word) => [numbers(Buffer.byteLength(word)), Buffer.from(word)]));
}

/** Undefined where the lengths do not fit. */
function bodyToWords(body: Buffer): string[] | undefined {
  const words: string[] = [];
  for (let at = 0; at < body.length;) {
    if (at + 4 > body.length) return undefined;
    const end = at + 4 + body.readUInt32BE(at);
    if (end > body.length) return undefined;
    words.push(body.toString('utf8', at + 4, end));
    at = end;
  }
  return words;
}
