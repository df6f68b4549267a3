import { SublError } from '@subluminal/core-types';
import type { Call } from '../program/call.js';

/** What `--yes` says in the help of a verb that asks. */
export const YES = ['--yes', 'do not ask'] as const;

/**
 * Asks for a yes on stderr, unless `--yes` is given, and reads one line of stdin. Anything else, and the end of stdin, is a
 * no. Throws `usage` for `--json` without `--yes`: a program is not asked.
 */
export async function agrees(call: Call, question: string): Promise<boolean> {
  if (call.flag('yes')) return true;
  assertAskable(call);
  call.output.rawError(`${question} (y/N) `);
  const answer = await firstLine(process.stdin);
  if (!process.stdin.isTTY) {
    call.output.rawError('\n');
    if (answer === '') call.output.note('nobody answered: `--yes` says that it may be done');
  }
  return /^\s*y(es)?\s*$/i.test(answer);
}

/** Refuses, before any work, what would have to ask a program. Throws `usage`. */
export function assertAskable(call: Call): void {
  if (call.flag('yes') || !call.output.json) return;
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
