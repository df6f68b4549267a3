// V8 keeps a script with one character beyond Latin-1 in two bytes each: the gateway had 8 MB more by dashes
// in comments. esbuild escapes such characters in strings, and leaves those of comments as they are.
import { readFileSync, writeFileSync } from 'node:fs';

const BEYOND = /[\u0080-\uffff]/g;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

/**
 * Writes a script anew without such characters in lines that are a comment.
 * @param {string} path
 */
export function withPlainComments(path) {
  const text = readFileSync(path, 'utf8');
  if (text.search(BEYOND) === -1) return;
  const lines = text.split('\n').map((line) => (COMMENT.test(line) ? line.replaceAll(BEYOND, '?') : line));
  writeFileSync(path, lines.join('\n'));
}
