import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CallIds } from './call-ids.js';

it('takes the ids of a series in rising order, each once', () => {
  const ids = new CallIds();
  expect(
    ['nonce00000001', 'nonce00000002', 'other00000001', 'nonce0000000a'].map((id) => ids.claim(id)),
  ).toEqual(['claimed', 'claimed', 'claimed', 'claimed']);
  for (const id of ['nonce00000001', 'nonce00000002', 'nonce00000003', 'other00000001', 'nonce0000000a'])
    expect(ids.claim(id)).toBe('used');
});

it('never takes an id twice, whatever the ids are', () => {
  const id = fc.stringMatching(/^[ab]{8,10}$/);
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), (wanted) => {
      const ids = new CallIds();
      const taken = wanted.filter((one) => ids.claim(one) === 'claimed');
      expect(new Set(taken).size).toBe(taken.length);
    }),
  );
});

it('remembers 4096 series and takes no more, so that its memory has an end', () => {
  const ids = new CallIds();
  const id = (series: number): string => `series-${series}-00000001`;
  for (let series = 0; series < 4096; series += 1) expect(ids.claim(id(series))).toBe('claimed');
  expect(ids.claim(id(4096))).toBe('full');
  expect(ids.claim('series-7-00000002')).toBe('claimed');
});
