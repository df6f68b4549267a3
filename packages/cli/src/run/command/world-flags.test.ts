import { describe, expect, it } from 'vitest';
import { worldRemarks } from './world-flags.js';

const NONE = { read: [], write: [], pass: [] };

describe('the flags of a world', () => {
  it('that name a path that is not there are a mistake, with the way on', () => {
    for (const flags of [
      { ...NONE, read: ['/no/such/path'] },
      { ...NONE, write: ['no-such-path'] },
    ])
      expect(() => worldRemarks(flags, {}, '/')).toThrow(/is not there, so a world cannot show it/);
    expect(worldRemarks({ ...NONE, read: ['etc'] }, {}, '/')).toEqual([]);
  });

  it('hand on variables by their names alone, and say which are not set', () => {
    for (const name of ['HOME=/x', '', '1A'])
      expect(() => worldRemarks({ ...NONE, pass: [name] }, {}, '/')).toThrow('names no variable');
    expect(worldRemarks({ ...NONE, pass: ['A', 'B'] }, { A: '' }, '/')).toEqual([
      '`B` is not set here: the world goes without it',
    ]);
  });
});
