import { describe, expect, it } from 'vitest';
import { Unsure } from './unsure.js';

describe('a run of which something was lost', () => {
  it('is unsure until it is over, and no other one is', () => {
    const unsure = new Unsure();
    unsure.note('a');
    expect([unsure.has('a'), unsure.has('b')]).toEqual([true, false]);
    unsure.forget('a');
    expect(unsure.has('a')).toBe(false);
  });

  it('makes all of them unsure where there are too many, or nobody knows which it is', () => {
    const many = new Unsure();
    for (let at = 0; at <= 1024; at += 1) many.note(`run ${at}`);
    const blind = new Unsure();
    blind.noteAll();
    expect([many.has('another'), blind.has('another')]).toEqual([true, true]);
  });
});
