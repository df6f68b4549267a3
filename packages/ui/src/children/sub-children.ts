import { type ChildProcess, spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  isErrorCode,
  isJsonObject,
  isSublError,
  type JsonObject,
  parseJson,
  SublError,
  textAt,
} from '@subluminal/core-types';

/** The command line of this very version: beside this file, and beside the bundle that holds it. */
export const SUB_PROGRAM = fileURLToPath(new URL('../../../cli/bin/sub.mjs', import.meta.url));

/** One that was killed is gone by then. */
const GONE_MS = 5000;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** How far one may go. */
export interface ChildLimits {
  readonly ms: number;
  readonly bytes: number;
  /** Its session must be unlocked as it is started. */
  readonly isUnlocked: boolean;
}

export interface SubChildrenParts {
  readonly program: string;
  readonly home: string;
  /** Asked as a child is started. Throws unless the asker may still have it. */
  readonly assertMayStart: (asker: string, isUnlocked: boolean) => void;
}

/**
 * Starts `sub` for the page: what touches files of a project is work of that program, and none of the
 * gateway's. Its words are ours, but for ids and paths that stand behind `--`; there is no shell, and nothing
 * of the gateway's environment. One asker has one at a time.
 */
export class SubChildren {
  readonly #parts: SubChildrenParts;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #running = new Set<ChildProcess>();
  #isOver = false;

  constructor(parts: SubChildrenParts) {
    this.#parts = parts;
  }

  /** How many run now. */
  get size(): number {
    return this.#running.size;
  }

  /**
   * The answer of a verb to `--json`, once those before of the same asker are over. Throws the error that it
   * tells, `timed_out` and `response_too_large` where it was ended, `failed` for what is no answer,
   * `shutting_down` behind `end`, and that of `assertMayStart`: much can happen while it waits.
   */
  ask(
    asker: string,
    verb: readonly string[],
    operands: readonly string[],
    limits: ChildLimits,
  ): Promise<JsonObject> {
    const before = this.#turns.get(asker) ?? Promise.resolve();
    const answer = before.then(() => this.#run(asker, verb, operands, limits));
    const over = answer.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(asker, over);
    void over.then(() => {
      if (this.#turns.get(asker) === over) this.#turns.delete(asker);
    });
    return answer;
  }

  /**
   * Ends all, and starts none of those that wait. A commit that is cut off is brought to its end by the next
   * verb that looks at its layer.
   */
  end(): void {
    this.#isOver = true;
    for (const child of this.#running) kill(child);
  }

  async #run(
    asker: string,
    verb: readonly string[],
    operands: readonly string[],
    { ms, bytes, isUnlocked }: ChildLimits,
  ): Promise<JsonObject> {
    if (this.#isOver) throw new SublError('shutting_down', 'the gateway stops');
    const { assertMayStart, home, program } = this.#parts;
    assertMayStart(asker, isUnlocked);
    const words = [program, ...verb, '--json', '--home', home, '--', ...operands];
    const child = spawn(process.execPath, words, {
      cwd: '/',
      // A group of its own, so that what it started ends with it.
      detached: true,
      env: { PATH, HOME: userInfo().homedir, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#running.add(child);
    try {
      return answerIn(await outputOf(child, ms, bytes));
    } finally {
      this.#running.delete(child);
    }
  }
}

function outputOf(child: ChildProcess, ms: number, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    let failure: SublError | undefined;
    // Once it is gone it does nothing any more: only then can be told what it has done.
    const fail = (error: SublError): void => {
      if (failure !== undefined) return;
      failure = error;
      kill(child);
      setTimeout(() => reject(error), GONE_MS).unref();
    };
    const timer = setTimeout(() => fail(new SublError('timed_out', 'it took too long', TERMINAL)), ms);
    child.stdout?.on('data', (part: Buffer) => {
      length += part.length;
      if (length > bytes) fail(new SublError('response_too_large', 'it is more than a page shows', TERMINAL));
      else parts.push(part);
    });
    child.once('error', (cause) =>
      reject(new SublError('failed', `\`sub\` could not be started: ${cause.message}`, { cause })),
    );
    child.once('close', () => {
      clearTimeout(timer);
      if (failure === undefined) resolve(Buffer.concat(parts).toString('utf8'));
      else reject(failure);
    });
  });
}

const TERMINAL = { help: 'use `sub` in a terminal' };

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The last line: a verb tells before it that its end could not be recorded. */
function answerIn(text: string): JsonObject {
  const answer = jsonIn(text.trimEnd().split('\n').at(-1) ?? '');
  if (answer === undefined) throw new SublError('failed', '`sub` gave no answer', TERMINAL);
  if (!isJsonObject(answer['error'])) return answer;
  const [code, help] = [textAt(answer, 'error', 'code'), textAt(answer, 'error', 'help')];
  const next = help === '' ? {} : { help };
  throw new SublError(isErrorCode(code) ? code : 'failed', textAt(answer, 'error', 'message'), next);
}

function jsonIn(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}
