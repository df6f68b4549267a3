import { readFileSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';

/**
 * The text that a flag was given: itself, that of a file as `@file`, or standard input as `-`. `what` names
 * it in the error. Throws `usage`.
 */
export function givenText(text: string, what: string): string {
  if (text !== '-' && !text.startsWith('@')) return text;
  const file = text === '-' ? 0 : text.slice(1);
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SublError('usage', `${what} \`${text}\` cannot be read`, {
      cause,
      help: 'behind `@` stands the path of a file; `-` reads standard input',
    });
  }
}
