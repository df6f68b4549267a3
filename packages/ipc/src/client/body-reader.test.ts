import { canonicalize, parseJson } from '@subluminal/core-types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyReader } from './body-reader.js';

const hash = fc.constantFrom('0', '7', 'f').map((digit) => digit.repeat(64));
const data = fc.record(
  {
    args_hash: hash,
    decision: fc.constantFrom({ action: 'ALLOW' }, { action: 'BLOCK', summary: ',"seq":1}}' }),
    policy: fc.jsonValue({ maxDepth: 2 }),
    seq: fc.nat(1e6),
    zed: fc.nat(2),
  },
  { requiredKeys: ['args_hash', 'decision', 'seq'] },
);
const bodies = fc
  .record({ data, error: fc.constant({ seq: 5 }) }, { requiredKeys: ['data'] })
  .map(canonicalize);

/** The value as text, or that there is none. */
function outcome(read: () => unknown): string {
  try {
    return canonicalize(read());
  } catch (error) {
    return String(error);
  }
}

test('a series of bodies is read as the parser reads each', () => {
  fc.assert(
    fc.property(fc.array(bodies, { maxLength: 12 }), (list) => {
      const reader = new BodyReader();
      for (const body of list) {
        expect(outcome(() => reader.read(body))).toBe(outcome(() => parseJson(body)));
        expect(outcome(() => reader.read(body))).toBe(outcome(() => parseJson(body)));
      }
    }),
    { numRuns: 300 },
  );
});

test('a body that was changed anywhere is read as the parser reads it, whatever came before', () => {
  const edit = fc.tuple(
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', '"', '\\', ',', '}', '0', '5', ',"seq":7', '{'),
  );
  fc.assert(
    fc.property(bodies, fc.array(edit, { minLength: 1, maxLength: 8 }), (body, edits) => {
      const reader = new BodyReader();
      reader.read(body);
      for (const [from, length, text] of edits) {
        const at = from % body.length;
        const changed = body.slice(0, at) + text + body.slice(at + length);
        expect(outcome(() => reader.read(changed))).toBe(outcome(() => parseJson(changed)));
        expect(outcome(() => reader.read(body))).toBe(outcome(() => parseJson(body)));
      }
    }),
    { numRuns: 800 },
  );
});

test('what stands between hash and number is taken from the body before', () => {
  const reader = new BodyReader();
  const body = (digit: string, seq: number): string =>
    `{"data":{"args_hash":"${digit.repeat(64)}","decision":{"action":"ALLOW"},"policy":{},"seq":${seq}}}`;
  const decisionIn = (value: unknown): unknown => Object(Object(value).data).decision;
  const first = reader.read(body('a', 1));
  const second = reader.read(body('b', 2));
  expect(second).toEqual(parseJson(body('b', 2)));
  expect(decisionIn(second)).toBe(decisionIn(first));
});
