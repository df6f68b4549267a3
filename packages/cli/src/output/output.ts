import { canonicalize } from '@subluminal/core-types';
import { escapeJson } from './escape.js';
import { plainJson, plainLine, plainLines } from './plain-line.js';
import { folded } from './folded.js';
import { painter, wantsColour, type Paint } from './style.js';

/** A stream that `sub` writes to: the part of `process.stdout` that is used. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
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

const USUAL_ROWS = 24;
/** Of more than this no pager is waited for. */
const MAX_HELD = 8_388_608;

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
  readonly #options: OutputOptions;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  /** Outputs that wait for their end. Undefined if each is written as it comes. */
  #held: { readonly sink: Sink; readonly text: string }[] | undefined;
  #heldSize = 0;
  readonly #canHold: boolean;
  #open = true;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.json = options.json;
    this.paint = painter(wantsColour(options.stdout.isTTY === true, options));
    this.paintError = painter(wantsColour(options.stderr.isTTY === true, options));
    this.showsProgress = options.stderr.isTTY === true && options.term !== 'dumb';
    this.#canHold = options.stdout.isTTY === true && options.term !== 'dumb' && !options.json;
    this.#stdout = options.stdout;
    this.#stderr = options.stderr;
    for (const sink of [options.stdout, options.stderr]) {
      sink.on('error', (error) => {
        if (!isBrokenPipe(error)) throw error;
        if (sink === this.#stdout) this.#open = false;
      });
    }
  }

  /** The same for people, whatever was asked for: of a verb whose stdout is a command's. */
  forPeople(): Output {
    return new Output({ ...this.#options, json: false });
  }

  /** Columns of the terminal that stdout is; programs and files get whole lines. */
  get width(): number {
    return columnsOfSink(this.#stdout);
  }

  /** Rows of the terminal that stdout is, the usual ones if it does not know; undefined elsewhere. */
  get height(): number | undefined {
    return this.#stdout.isTTY === true ? this.#stdout.rows || USUAL_ROWS : undefined;
  }

  /** False once nobody reads stdout any more; verbs that follow something stop then. */
  get open(): boolean {
    return this.#open;
  }

  /** Keeps what is printed from now on, on a terminal: false if that is none. */
  hold(): boolean {
    if (this.#canHold) this.#held = [];
    return this.#canHold;
  }

  /** The text that waits for stdout, if a screen has no room for it. */
  longText(): string | undefined {
    const text = (this.#held ?? []).map((one) => (one.sink === this.#stdout ? one.text : '')).join('');
    const rows = this.#stdout.rows ?? 0;
    return rows > 0 && text.split('\n').length > rows ? text : undefined;
  }

  /** Prints what waits; of what somebody has shown already the remarks alone. */
  release(isShown: boolean): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { sink, text } of held) if (!isShown || sink !== this.#stdout) sink.write(text);
  }

  #write(sink: Sink, text: string): void {
    if (this.#held === undefined) sink.write(text);
    else {
      this.#held.push({ sink, text });
      this.#heldSize += text.length;
      if (this.#heldSize > MAX_HELD) this.release(false);
    }
  }

  /** A line for a person, on stdout; on a terminal as many as it takes. */
  line(text = ''): void {
    this.lines([text]);
  }

  /** Lines for a person, on stdout. */
  lines(texts: readonly string[]): void {
    if (!this.#open || texts.length === 0) return;
    this.#write(this.#stdout, `${plainLines(inColumns(texts.join('\n'), this.width))}\n`);
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
    this.#write(this.#stderr, `${plainLines(inColumns(text, columnsOfSink(this.#stderr)))}\n`);
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
    if (this.#open) this.#write(this.#stdout, text);
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
