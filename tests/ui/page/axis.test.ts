import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisOf } from '../../../packages/ui/page/views/run/axis.js';

const HOUR = 3_600_000;
const span = fc
  .tuple(fc.integer({ min: 0, max: HOUR }), fc.integer({ min: 0, max: 60_000 }))
  .map(([from, long]) => ({ from, to: from + long }));

describe('the axis of a run', () => {
  it('keeps the order of times, and gives back the time of each place', () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 50 }), fc.boolean(), (spans, collapse) => {
        const axis = axisOf(spans, collapse);
        const times = spans.flatMap(({ from, to }) => [from, to]).toSorted((one, other) => one - other);
        const places = times.map((ms) => axis.place(ms));
        expect(places).toEqual(places.toSorted((one, other) => one - other));
        expect(places.at(-1)).toBeLessThanOrEqual(axis.length);
        times.forEach((ms, at) => expect(axis.time(places[at] ?? -1)).toBeCloseTo(ms, 3));
      }),
    );
  });

  it('looks at few of its stretches for a place, however many there are', () => {
    let looks = 0;
    const spans = Array.from({ length: 20_000 }, (_, at) => ({ from: at * 10, to: at * 10 + 5 }));
    const axis = axisOf(spans, true);
    const ms = { valueOf: () => ((looks += 1), 123_456) };
    // A number that counts how often it is compared.
    expect(axis.place(ms as unknown as number)).toBeGreaterThan(0);
    expect(looks).toBeLessThan(40);
  });
});
