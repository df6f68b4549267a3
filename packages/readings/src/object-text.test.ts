import { expect, it } from 'vitest';
import { objectText } from './object-text.js';

it.each([
  ['move_file', { destination: 'b.txt', source: 'a.txt' }, 'a.txt b.txt'],
  ['copy', { dst: 'b.txt', src: 'a.txt' }, 'a.txt b.txt'],
  ['rename', { new_path: 'b.txt', old_path: 'a.txt' }, 'a.txt b.txt'],
  ['read_file', { path: 'a.txt' }, 'a.txt'],
])('%s names its files from where to where: %j', (tool, args, said) => {
  expect(objectText('filesystem', tool, args)).toBe(said);
});
