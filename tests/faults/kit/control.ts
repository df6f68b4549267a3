import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the library sees of a process. */
export const FAULT_OPS = ['open', 'write', 'sync', 'truncate', 'rename', 'unlink', 'link', 'mkdir'] as const;

/** A kind of change to the file system. */
export type FaultOp = (typeof FAULT_OPS)[number];

/** Numbers of Linux, as rules name them. */
export const ERRNO = { EINTR: 4, EIO: 5, EACCES: 13, ENOSPC: 28, EROFS: 30 } as const;

/** One rule of the library; the head of `faults.c` says what each part means. */
export interface FaultRule {
  readonly ops: readonly FaultOp[] | '*';
  /** A glob over absolute paths. */
  readonly path: string;
  readonly action: 'fail' | 'lie' | 'delay' | 'short' | 'skip' | 'kill' | 'killafter';
  readonly argument?: number;
  /** First and last match that it acts on; from the first one for ever where `last` is missing. */
  readonly first?: number;
  readonly last?: number;
}

const CONTROL_BYTES = 4096;

/** What the library writes into its log for a rule that acts. */
const ACTED = '! acted';

/** Switches faults of a running process on and off, and moves its wall clock. */
export class FaultControl {
  readonly folder = mkdtempSync(join(tmpdir(), 'sub-faults-'));
  readonly #path = join(this.folder, 'control');
  readonly #log = join(this.folder, 'log');
  readonly #handle: number;
  #version = 0;

  constructor() {
    writeFileSync(this.#path, Buffer.alloc(CONTROL_BYTES));
    this.#handle = openSync(this.#path, 'r+');
  }

  /**
   * The environment of a process that is to be under this control; `root` lists the folders whose calls it
   * sees.
   */
  env(library: string, root: readonly string[]): Record<string, string> {
    return {
      LD_PRELOAD: library,
      FAULT_ROOT: root.join(':'),
      FAULT_CONTROL: this.#path,
      FAULT_LOG: this.#log,
    };
  }

  /** From now on these rules hold, each counting anew; no rule, no fault. */
  set(rules: readonly FaultRule[], clockMs = 0): void {
    const lines = rules.map(({ ops, path, action, argument = 0, first = 1, last = 0 }) =>
      [ops === '*' ? '*' : ops.join(','), path, action, argument, first, last].join(' '),
    );
    if (clockMs !== 0) lines.push(`clock * add ${clockMs} 1 0`);
    const text = Buffer.alloc(CONTROL_BYTES - 1);
    if (text.write(lines.join('\n')) > CONTROL_BYTES - 2) throw new Error('too many rules');
    writeSync(this.#handle, text, 0, text.length, 1);
    // The version last: the library reads the rules when it has changed.
    this.#version = (this.#version + 1) % 128;
    writeSync(this.#handle, Buffer.from([this.#version]), 0, 1, 0);
  }

  clear(): void {
    this.set([]);
  }

  /** Every call seen so far, in order. */
  seen(): { readonly op: FaultOp; readonly path: string }[] {
    return this.#lines()
      .filter((line) => line !== ACTED)
      .map((line) => {
        const space = line.indexOf(' ');
        return { op: line.slice(0, space) as FaultOp, path: line.slice(space + 1) };
      });
  }

  /** How often a rule has acted. */
  get acted(): number {
    return this.#lines().filter((line) => line === ACTED).length;
  }

  #lines(): string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, 'utf8').split('\n').slice(0, -1) : [];
  }

  remove(): void {
    closeSync(this.#handle);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
