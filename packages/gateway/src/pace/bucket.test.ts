import { describe, expect, test } from 'vitest';
import { Bucket, Buckets } from './bucket.js';

const SIZE = { burst: 2, perSecond: 1 };

describe('a bucket', () => {
  test('gives its burst at once, and then what comes back in a second', () => {
    const bucket = new Bucket(SIZE, 0);
    expect([bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([true, true, false]);
    expect([bucket.take(1000), bucket.take(1000)]).toEqual([true, false]);
  });

  test('pays a large cost off before the next token', () => {
    const bucket = new Bucket(SIZE, 0);
    bucket.charge(5);
    expect([bucket.take(3000), bucket.take(4000)]).toEqual([false, true]);
  });

  test('gains nothing by a clock that goes back', () => {
    const bucket = new Bucket(SIZE, 10_000);
    bucket.charge(2);
    expect([bucket.take(0), bucket.take(10_500), bucket.take(11_000)]).toEqual([false, false, true]);
  });
});

describe('buckets by name', () => {
  test('refuse a newcomer while as many as are remembered have spent something', () => {
    const buckets = new Buckets(SIZE, 2);
    for (const name of ['a', 'b']) buckets.of(name, 0)?.charge(1);
    expect(buckets.of('c', 500)).toBeUndefined();
    expect(buckets.of('a', 500)).toBeDefined();
    expect(buckets.of('c', 1000)).toBeDefined();
  });
});
