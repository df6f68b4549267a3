import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** One line as it came, without its line feed. */
export interface WireLine {
  readonly bytes: Buffer;
  readonly head: string;
}

/** A client that sends and takes lines of any size, and parses none of them. */
export class Wire {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: WireLine[] = [];
  #parts: Buffer[] = [];
  #waiting: (() => void)[] = [];

  constructor(argv: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    const [command = '', ...args] = argv;
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.child.stdout.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.child.on('exit', () => this.#wake());
  }

  send(line: string): void {
    this.child.stdin.write(line);
    this.child.stdin.write('\n');
  }

  /** The next line that begins or ends with `"id":ID`, taken out of `lines`. */
  async answer(id: string | number): Promise<WireLine> {
    const mark = `"id":${JSON.stringify(id)}`;
    for (;;) {
      const at = this.lines.findIndex(
        ({ head, bytes }) => head.includes(mark) || bytes.subarray(-60).includes(mark),
      );
      const [found] = at < 0 ? [] : this.lines.splice(at, 1);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`the session ended with ${this.child.exitCode}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async close(): Promise<number | null> {
    this.child.stdin.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  #onData(chunk: Buffer): void {
    let at = 0;
    for (let feed = chunk.indexOf(10); feed >= 0; feed = chunk.indexOf(10, at)) {
      this.#parts.push(chunk.subarray(at, feed));
      at = feed + 1;
      const bytes = Buffer.concat(this.#parts);
      this.#parts = [];
      this.lines.push({ bytes, head: bytes.toString('utf8', 0, 200) });
      this.#wake();
    }
    this.#parts.push(chunk.subarray(at));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
