import { spawn } from 'node:child_process';
import { fsync } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { Folder } from '../files/folder.js';

const PERL = '/usr/bin/perl';
/** Node has no `syncfs(2)`: once for each byte that it reads, and a byte says whether it was done. */
const PROGRAM = 'while (sysread STDIN, my $b, 1) { syswrite STDOUT, syscall($ARGV[0], 3) == 0 ? "y" : "n" }';
const SYNCFS = process.arch === 'arm64' ? '267' : '306';
/** So many files are flushed one by one; of more all of the file system costs less. */
const FEW = 16;

/** The disk below the tree of one folder. */
export class Disk {
  readonly #folder: Folder;
  /** Of the process that syncs. */
  #asks: Writable | undefined;
  #answer: ((isDone: boolean) => void) | undefined;
  #isOver = false;

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  /** Flushes these open files, which stand in the tree. */
  async take(files: readonly number[]): Promise<void> {
    if (files.length > FEW && (await this.#syncsWhole())) return;
    for (let at = 0; at < files.length; at += FEW)
      await Promise.all(files.slice(at, at + FEW).map((file) => promisify(fsync)(file)));
  }

  /** Flushes all that was done in the tree; if `syncfs` cannot be called, the top folder alone. */
  async takeAll(): Promise<void> {
    if (!(await this.#syncsWhole())) await promisify(fsync)(this.#folder.fd);
  }

  /** Ends the process that syncs. */
  close(): void {
    this.#asks?.end();
  }

  /** False if that cannot be done. One at a time. */
  #syncsWhole(): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#asks ??= this.#start();
      this.#asks?.write('s');
    });
  }

  #start(): Writable | undefined {
    const child = spawn(PERL, ['-e', PROGRAM, SYNCFS], {
      stdio: ['pipe', 'pipe', 'ignore', this.#folder.fd],
      env: {},
    });
    const over = (): void => {
      this.#isOver = true;
      this.#answered(false);
    };
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (bytes: Buffer) => this.#answered(bytes.toString('latin1') === 'y'));
    child.once('error', over);
    child.once('close', over);
    return child.stdin ?? undefined;
  }

  #answered(isDone: boolean): void {
    this.#answer?.(isDone);
    this.#answer = undefined;
  }
}
