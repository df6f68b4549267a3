import { expect, it } from 'vitest';
import { typedText } from './typed.js';

it.each([
  ['ls\r', 'ls\n'],
  ['ls', 'ls'],
  ['lx\u007fs\n', 'ls\n'],
  ['\b\bls\n', 'ls\n'],
  ['rm a\u0015ls\n', 'ls\n'],
  ['ab\u0003ls\r', 'ab\nls\n'],
  ['\u001b[200~ls\u001b[201~\r', 'ls\n'],
  ['\u001b[A\u001bOBls\r', 'ls\n'],
  ['a\u0000b\u0007\n', 'ab\n'],
  ['x\ty\n', 'x\ty\n'],
])('the keys %j come to %j', (keys, text) => {
  expect(typedText(keys)).toBe(text);
});
