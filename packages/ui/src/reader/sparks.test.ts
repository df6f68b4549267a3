import { describe, expect, it } from 'vitest';
import { Sparks } from './sparks.js';

const CALL = { isNew: true, isRefused: false };
const REFUSED = { isNew: false, isRefused: true };
const sum = (counts: readonly number[] | undefined): number => (counts ?? []).reduce((a, b) => a + b, 0);

describe('the activity of a run', () => {
  it('stands in buckets from its beginning, what was refused beside what began', () => {
    const sparks = new Sparks();
    sparks.begin({ runId: 'a', ts: 1000 });
    sparks.add('a', 1000, CALL);
    sparks.add('a', 1063, CALL);
    sparks.add('a', 1064, CALL);
    sparks.add('a', 1065, REFUSED);
    expect(sparks.of('a')).toEqual({ width_ms: 64, all: [2, 1], refused: [0, 1] });
  });

  it('has no more buckets for a longer time, and loses nothing of what came before', () => {
    const sparks = new Sparks();
    sparks.begin({ runId: 'a', ts: 0 });
    for (let at = 0; at < 10_000; at += 1) sparks.add('a', at * 1000, at % 10 === 0 ? REFUSED : CALL);
    const spark = sparks.of('a');
    expect(spark?.all.length).toBeLessThanOrEqual(32);
    expect(spark?.all.length).toBeGreaterThanOrEqual(16);
    expect([sum(spark?.all), sum(spark?.refused)]).toEqual([9000, 1000]);
  });

  it('is not told of a run whose beginning is not there, nor for what belongs to none', () => {
    const sparks = new Sparks();
    sparks.add('a', 5, CALL);
    sparks.add(null, 5, CALL);
    expect(sparks.of('a')).toBeNull();
  });

  it('counts what a clock that went back says for the beginning', () => {
    const sparks = new Sparks();
    sparks.begin({ runId: 'a', ts: 1000 });
    sparks.add('a', 5, CALL);
    expect(sparks.of('a')?.all).toEqual([1]);
  });

  it('is kept for so many runs, those that did something last', () => {
    const sparks = new Sparks(2);
    sparks.begin({ runId: 'a', ts: 0 });
    sparks.begin({ runId: 'b', ts: 0 });
    sparks.add('a', 1, CALL);
    sparks.begin({ runId: 'c', ts: 0 });
    expect(['a', 'b', 'c'].map((run) => sparks.of(run) !== null)).toEqual([true, false, true]);
    sparks.add('b', 2, CALL);
    expect(sparks.of('b')).toBeNull();
  });
});
