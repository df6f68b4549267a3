import { createHash } from 'node:crypto';

/** The part of a code or a token that is kept: nobody who reads it can show the code or the token. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64');
}
