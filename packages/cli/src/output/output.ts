import { canonicalize } from '@subluminal/core-types';
import { escapeJson } from './escape.js';
import { plainJson, plainLine, plainLines } from './plain-line.js';
import { folded } from './folded.js';
import { painter, wantsColour, type Paint } from './style.js';

/** A stream that `sub` writes to: the part of `process.stdout` that is used. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly json: boolean;
  readonly noColor: boolean;
  readonly term: string;
}

/**
 * Everything that `sub` prints. A reader that closes its end (`| head`) ends the printing and nothing else:
 * what a verb found out still decides the exit code.
 */
export class Output {
  /** Programs read this: values on stdout, one JSON text a line. */
  readonly json: boolean;
  readonly paint: Paint;
  readonly paintError: Paint;
  /** Progress is for a person who waits. */
  readonly showsProgress: boolean;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  #open = true;

  constructor(options: OutputOptions) {
    this.json = options.json;
    this.paint = painter(wantsColour(options.stdout.isTTY === true, options));
    this.paintError = painter(wantsColour(options.stderr.isTTY === true, options));
    this.showsProgress = options.stderr.isTTY === true && options.term !== 'dumb';
    this.#stdout = options.stdout;
    this.#stderr = options.stderr;
    for (const sink of [options.stdout, options.stderr]) {
      sink.on('error', (error) => {
        if (!isBrokenPipe(error)) throw error;
        if (sink === this.#stdout) this.#open = false;
      });
    }
  }

  /** Columns of the terminal that stdout is; programs and files get whole lines. */
  get width(): number {
    return columnsOfSink(this.#stdout);
  }

  /** False once nobody reads stdout any more; verbs that follow something stop then. */
  get open(): boolean {
    return this.#open;
  }

  /** A line for a person, on stdout; on a terminal as many as it takes. */
  line(text = ''): void {
    this.lines([text]);
  }

  /** Lines for a person, on stdout. */
  lines(texts: readonly string[]): void {
    if (!this.#open || texts.length === 0) return;
    this.#stdout.write(`${plainLines(inColumns(texts.join('\n'), this.width))}\n`);
  }

  /**
   * One value for a program: canonical JSON on one line, with what could act on a terminal or a CI system as
   * JSON escapes.
   */
  value(value: unknown): void {
    if (this.#open) this.#stdout.write(`${plainJson(escapeJson(canonicalize(value)))}\n`);
  }

  /** A line beside the result, on stderr; on a terminal as many as it takes. */
  note(text: string): void {
    this.#stderr.write(`${plainLines(inColumns(text, columnsOfSink(this.#stderr)))}\n`);
  }

  /** A question on stderr, behind which its answer is typed. */
  question(text: string): void {
    this.#stderr.write(inColumns(text, columnsOfSink(this.#stderr)));
  }

  /** A command of ours to the CI system, on stderr. */
  annotation(text: string): void {
    this.#stderr.write(`${plainLine(text)}\n`);
  }

  /** Text exactly as it is, on stderr: for progress that rewrites its line. */
  rawError(text: string): void {
    this.#stderr.write(text);
  }

  /** Text exactly as it is, on stdout: for scripts that a shell reads. */
  raw(text: string): void {
    if (this.#open) this.#stdout.write(text);
  }
}

function inColumns(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text;
  return text
    .split('\n')
    .flatMap((line) => folded(line, columns))
    .join('\n');
}

function columnsOfSink({ isTTY, columns }: Sink): number {
  return (isTTY === true ? columns : undefined) || Number.POSITIVE_INFINITY;
}

function isBrokenPipe(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED');
}
