import { describe, expect, it } from 'vitest';
import { passRemarks } from './world-flags.js';

describe('the flags of a world', () => {
  it('hand on variables by their names alone, and say which are not set', () => {
    for (const name of ['HOME=/x', '', '1A'])
      expect(() => passRemarks([name], {})).toThrow('names no variable');
    expect(passRemarks(['A', 'B'], { A: '' })).toEqual(['`B` is not set here: the world goes without it']);
  });
});
