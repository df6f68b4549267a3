import { SublError } from '@subluminal/core-types';
import type { Call } from '../program/call.js';
import { flag } from '../program/flags.js';

/** The flag of a verb that asks. */
export const YES = flag('do not ask');

type Asking = Call<{ readonly yes: boolean }>;

/**
 * Asks for a yes on stderr, unless `--yes` is given, and reads one line of stdin. Anything else, and the end
 * of stdin, is a no. Throws `usage` for `--json` without `--yes`: a program is not asked.
 */
export async function agrees(
  call: Asking,
  question: string,
  answers = new Answers(process.stdin),
): Promise<boolean> {
  if (call.flags.yes) return true;
  assertAskable(call);
  call.output.question(`${question} (y/N) `);
  const answer = await answers.next();
  answers.close();
  if (!process.stdin.isTTY) {
    call.output.rawError('\n');
    if (answer === '') call.output.note('nobody answered: `--yes` says that it may be done');
  }
  return /^\s*y(es)?\s*$/i.test(answer);
}

/**
 * Asks for one of so many numbered things; undefined for any other answer. Enter alone is the answer in
 * capitals, here as in every question: it lets nothing more through.
 */
export async function chosen(call: Asking, count: number, answers: Answers): Promise<number | undefined> {
  call.output.question(`which one? (1-${count}, NONE) `);
  const answer = (await answers.next()).trim();
  const number = /^[0-9]{1,4}$/.test(answer) ? Number(answer) : 0;
  return number >= 1 && number <= count ? number - 1 : undefined;
}

/** Refuses, before any work, to ask a program. Throws `usage`. */
export function assertAskable(call: Asking): void {
  if (call.flags.yes || !call.output.json) return;
  throw new SublError('usage', '`--json` cannot ask', { help: 'add `--yes` to say that it may be done' });
}

const LONGEST = 1024;

/** The lines that a person types, one for each question. */
export class Answers {
  readonly #input: NodeJS.ReadStream;
  #text = '';
  #ended = false;

  constructor(input: NodeJS.ReadStream) {
    this.#input = input;
    input.setEncoding('utf8');
  }

  /** The input was over before the last answer was. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The next line; what there is of it at the end of the input, or where it is too long. */
  async next(): Promise<string> {
    const pieces = this.#input.iterator({ destroyOnReturn: false });
    while (!this.#text.includes('\n') && this.#text.length <= LONGEST) {
      const piece = await pieces.next();
      if (piece.done === true) {
        this.#ended = true;
        break;
      }
      this.#text += String(piece.value);
    }
    await pieces.return?.();
    const [line = '', ...rest] = this.#text.split('\n');
    this.#text = rest.join('\n');
    return line;
  }

  /** Nothing more is asked: the input no longer keeps the process. */
  close(): void {
    this.#input.destroy();
  }
}
