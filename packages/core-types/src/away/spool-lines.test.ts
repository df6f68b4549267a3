import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/value.js';
import {
  deriveSpoolKey,
  NO_LINE,
  readSpool,
  spoolHeader,
  unverifiedBodies,
  writeSpoolLine,
} from './spool-lines.js';

const key = randomBytes(32);

function spoolOf(bodies: readonly JsonObject[], under: Uint8Array = key): string[] {
  const lines: string[] = [];
  let prev = NO_LINE;
  for (const [n, body] of bodies.entries()) {
    const line = writeSpoolLine(under, n, prev, body);
    lines.push(line.text);
    prev = line.hash;
  }
  return lines;
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const bodies: readonly JsonObject[] = [
  { kind: 'head' },
  { n: 1 },
  { n: 2, ',"mac":"': '"mac":"x"' },
  { n: 3 },
];

describe('a spool', () => {
  it('gives back what was written, whatever that was', () => {
    const body = fc.dictionary(
      fc.string({ unit: 'grapheme' }),
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean()),
    );
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 5 }), (given) => {
        const read = readSpool(key, textOf(spoolOf(given)));
        expect(read.fault).toBeUndefined();
        expect(read.torn).toBe(false);
        expect(read.lines.map((line) => ({ ...line.body }))).toEqual(given.map((one) => ({ ...one })));
      }),
      { numRuns: 100 },
    );
  });

  it('shows its first line before anything vouches for it', () => {
    expect(spoolHeader(textOf(spoolOf(bodies)))).toEqual({ kind: 'head' });
    expect(spoolHeader('no line')).toBeUndefined();
    expect(spoolHeader('[1]\n')).toBeUndefined();
  });

  it('is not read with another key', () => {
    expect(readSpool(randomBytes(32), textOf(spoolOf(bodies)))).toMatchObject({
      lines: [],
      fault: { kind: 'mac', n: 0 },
    });
  });

  it('has a key of its own for every snapshot and for every secret', () => {
    const keys = [
      deriveSpoolKey(key, 'ledger', 'snapshot-1', 'secret'),
      deriveSpoolKey(key, 'ledger', 'snapshot-2', 'secret'),
      deriveSpoolKey(key, 'ledger', 'snapshot-1', 'secret-2'),
      deriveSpoolKey(key, 'other', 'snapshot-1', 'secret'),
      deriveSpoolKey(randomBytes(32), 'ledger', 'snapshot-1', 'secret'),
    ].map((one) => Buffer.from(one).toString('hex'));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('breaks at the line where any character was changed', () => {
    const lines = spoolOf(bodies);
    for (const [at, line] of lines.entries()) {
      for (let place = 0; place < line.length; place += 3) {
        const other = line[place] === 'a' ? 'b' : 'a';
        const changed = lines.with(at, line.slice(0, place) + other + line.slice(place + 1));
        const read = readSpool(key, textOf(changed));
        expect(read.fault?.n).toBe(at);
        expect(read.lines).toHaveLength(at);
      }
    }
  });

  it('breaks where lines were swapped, left out, repeated or put in', () => {
    const [head = '', one = '', two = '', three = ''] = spoolOf(bodies);
    const cases = [
      [head, two, one, three],
      [head, one, three],
      [head, one, one, two, three],
      [one, two, three],
      [head, one, '', two, three],
      [head, one, spoolOf(bodies)[1] ?? '', three],
    ];
    for (const lines of cases) expect(readSpool(key, textOf(lines)).fault).toBeDefined();
  });

  it('takes a line of another spool under the same key for a break', () => {
    const [head = ''] = spoolOf(bodies);
    const other = spoolOf([{ kind: 'other head' }, { n: 1 }]);
    expect(readSpool(key, textOf([head, other[1] ?? '']))).toMatchObject({ fault: { kind: 'chain', n: 1 } });
  });

  it('cut off inside of its last line is whole up to there, and says so', () => {
    const lines = spoolOf(bodies);
    const text = textOf(lines).slice(0, -10);
    expect(readSpool(key, text)).toMatchObject({ fault: undefined, torn: true, lines: { length: 3 } });
  });

  it('can be read without a key as far as its form goes', () => {
    const lines = spoolOf(bodies);
    const text = textOf([lines[0] ?? '', 'rubbish', lines[2] ?? '', '{"body":1}']);
    expect(unverifiedBodies(text)).toEqual([bodies[0], bodies[2]]);
  });

  it('is searched for bodies in the first lines alone that look like any, be there ever so many others', () => {
    const body = (n: number): string => `{"body":{"n":${n}},"mac":"","n":${n},"prev":""}\n`;
    const all = Array.from({ length: 600 }, (_, n) => body(n)).join('');
    expect(unverifiedBodies('\n'.repeat(1000) + all)).toHaveLength(513);
    expect(unverifiedBodies('{"body":\n'.repeat(513) + all)).toEqual([]);
  });
});
