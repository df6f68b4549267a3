import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { SublError } from '@subluminal/core-types';
import type { Bounds } from './bounds.js';
import { Records, type Walked } from './records.js';

const PERL = '/usr/bin/perl';
const PROGRAM = fileURLToPath(new URL('./walk.pl', import.meta.url));
/** A file's time is that of the kernel's last tick. */
export const TICK_NS = 20_000_000n;
const MAX_WORDS = 2000;

/** Walks the upper folder of one layer, again and again. */
export class Walker {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #bounds: Bounds;
  #words = '';
  #waiting:
    | {
        readonly records: Records;
        readonly done: (walked: Walked) => void;
        readonly failed: (error: Error) => void;
      }
    | undefined;
  #isOver = false;

  /** Of what is outside of the bounds nothing is said but that it is there. */
  constructor(upper: string, bounds: Bounds) {
    this.#bounds = bounds;
    this.#child = spawn(PERL, [PROGRAM, upper, String(bounds.names), String(bounds.bytes)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      // A variable of a program's own could have it load something.
      env: {},
    });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (this.#words.length < MAX_WORDS) this.#words += text;
    });
    this.#child.stdout.on('data', (bytes: Buffer) => this.#heard(bytes));
    this.#child.once('error', (error) => this.#over(error.message));
    this.#child.once('close', () => this.#over(this.#words.trim()));
  }

  /**
   * Tells of all changes since that time, in nanoseconds since 1970; with 0 of everything. One walk at a
   * time.
   * Rejects with `failed` where the folder cannot be walked.
   */
  walk(since: bigint): Promise<Walked> {
    return new Promise((resolve, reject) => {
      if (this.#isOver || this.#waiting !== undefined) {
        reject(failed(this.#words.trim()));
        return;
      }
      this.#waiting = { records: new Records(this.#bounds), done: resolve, failed: reject };
      this.#child.stdin.write(`${since > TICK_NS ? since - TICK_NS : 0n}\n`);
    });
  }

  /** Ends it. */
  close(): void {
    this.#child.stdin.end();
  }

  #heard(bytes: Buffer): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    try {
      const walked = waiting.records.add(bytes);
      if (walked === undefined) return;
      this.#waiting = undefined;
      waiting.done(walked);
    } catch (error) {
      this.#waiting = undefined;
      waiting.failed(error instanceof Error ? error : failed(String(error)));
      this.#child.kill('SIGKILL');
    }
  }

  #over(words: string): void {
    this.#isOver = true;
    this.#waiting?.failed(failed(words));
    this.#waiting = undefined;
  }
}

function failed(words: string): SublError {
  return new SublError(
    'failed',
    `the layer cannot be looked at: ${words === '' ? 'its reader ended' : words}`,
  );
}
