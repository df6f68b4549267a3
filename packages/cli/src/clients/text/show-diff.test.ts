import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unified } from './show-diff.js';

describe('unified', () => {
  it('shows one hunk for each place, with three lines beside it', () => {
    const old = Array.from({ length: 30 }, (_, index) => `${index}`);
    const fresh = old.map((line) => (line === '5' ? 'five' : line)).filter((line) => line !== '20');
    expect(unified(old, fresh, 'f')).toEqual([
      '--- f',
      '+++ f',
      '@@ -3,7 +3,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
      '@@ -18,7 +18,6 @@',
      ' 17',
      ' 18',
      ' 19',
      '-20',
      ' 21',
      ' 22',
      ' 23',
    ]);
  });

  it('says of any two texts what makes the one of the other', () => {
    const lines = array(constantFrom('a', 'b', 'c'), { maxLength: 12 });
    assert(
      property(lines, lines, (old, fresh) => {
        expect(patched(old, unified(old, fresh, 'f').slice(2))).toEqual(fresh);
      }),
    );
  });
});

/** Patches as a tool does: hunks are found by their line numbers. */
function patched(old: readonly string[], diff: readonly string[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff) {
    const start = /^@@ -(\d+),(\d+) /.exec(line);
    if (start !== null) {
      const to = Number(start[1]) - (start[2] === '0' ? 0 : 1);
      result.push(...old.slice(at, to));
      at = to;
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      expect(old[at]).toBe(line.slice(1));
      at += 1;
      if (line.startsWith(' ')) result.push(line.slice(1));
    }
  }
  return [...result, ...old.slice(at)];
}
