import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PreparedGroup } from '../entry/prepare.js';
import { packGroups, unpackGroups } from './packed-groups.js';

const bytes = fc.uint8Array({ maxLength: 64 }).map((data) => Buffer.from(data));
const text = fc.string({ unit: 'binary', maxLength: 20 });
const entry = fc.record({
  kind: fc.nat(100),
  code: fc.nat(40),
  ts: fc.maxSafeNat(),
  run: fc.option(text),
  tool: fc.option(text),
  ref: fc.option(fc.oneof(fc.maxSafeNat(), fc.record({ entry: fc.nat(20) }))),
  data: text,
  blobs: fc.array(fc.record({ slot: text, salt: bytes, data: bytes }), { maxLength: 3 }),
});
const group = fc.record({
  entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
  seen: fc.option(fc.record({ run: fc.option(text), id: text, entry: fc.nat(2) })),
  bytes: fc.nat(),
});

describe('groups that cross to the worker', () => {
  it('arrive as they were', () => {
    fc.assert(
      fc.property(fc.array(group, { maxLength: 4 }), (groups: readonly PreparedGroup[]) => {
        expect(unpackGroups(structuredClone(packGroups(groups)))).toEqual(groups);
      }),
    );
  });

  it.each([0, 5, 9])('are refused where the list is cut off after %d', (length) => {
    const [first] = fc.sample(group, 1);
    if (first === undefined) throw new Error('no group');
    const packed = packGroups([first]);
    expect(() => unpackGroups([...packed.slice(0, length), ...(length === 0 ? ['x'] : [])])).toThrow(
      'a list of groups is not as it was packed',
    );
  });
});
