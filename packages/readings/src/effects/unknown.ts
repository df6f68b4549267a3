import { touch, type Effect } from './effect.js';

/** Any other program: words that look like names of files are read. */
export const UNKNOWN: Effect = (operands) => [
  ...touch(
    'write',
    operands.values('-o', '--output', '--out', '--outfile', '--output-file').filter(isFileLike),
  ),
  ...touch(
    'read',
    operands.words
      .map((word) => (word.startsWith('-') && word.includes('=') ? word.slice(word.indexOf('=') + 1) : word))
      .filter((word) => /[/.~]/.test(word) && !word.startsWith('-') && !/\s/.test(word))
      .filter((word) => !/^[a-z][\w+.-]*:\/\//i.test(word) || /^file:/i.test(word)),
  ),
];

/** Text, JSON, a number: values of an `--output` that name no file. */
function isFileLike(value: string): boolean {
  return /[/.~]/.test(value) && !/^[\d.]+$/.test(value);
}
