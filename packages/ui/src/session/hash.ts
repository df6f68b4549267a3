import { createHash } from 'node:crypto';

/** What is kept of a code or a token: whoever reads the memory of it can show neither. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64');
}
