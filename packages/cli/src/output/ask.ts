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
export async function agrees(call: Asking, question: string): Promise<boolean> {
  if (call.flags.yes) return true;
  assertAskable(call);
  call.output.rawError(`${question} (y/N) `);
  const answer = await firstLine(process.stdin);
  if (!process.stdin.isTTY) {
    call.output.rawError('\n');
    if (answer === '') call.output.note('nobody answered: `--yes` says that it may be done');
  }
  return /^\s*y(es)?\s*$/i.test(answer);
}

/** Refuses, before any work, to ask a program. Throws `usage`. */
export function assertAskable(call: Asking): void {
  if (call.flags.yes || !call.output.json) return;
  throw new SublError('usage', '`--json` cannot ask', { help: 'add `--yes` to say that it may be done' });
}

const LONGEST = 1024;

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  let text = '';
  input.setEncoding('utf8');
  for await (const piece of input) {
    text += String(piece);
    if (text.includes('\n') || text.length > LONGEST) break;
  }
  return text.split('\n', 1)[0] ?? '';
}
