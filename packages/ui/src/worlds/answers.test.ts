import { describe, expect, it } from 'vitest';
import { doneIn, patchIn, worldIn, worldsIn } from './answers.js';

describe('an answer of `sub`', () => {
  it('without a digest is no layer: nothing could be decided on it', () => {
    for (const digest of [undefined, null, '', 'x'.repeat(64), 1])
      expect(() =>
        worldIn({ layer: 'a', overwrite: 'b'.repeat(64), ...(digest === undefined ? {} : { digest }) }),
      ).toThrow('no digest');
  });

  it('of another form is told as far as it goes, and what is not known is not taken over without a word', () => {
    const world = worldIn({
      digest: 'a'.repeat(64),
      overwrite: 'b'.repeat(64),
      folder: [],
      fs_diff: null,
      changes: [1, null, {}, { path: 'a', sign: '?', state: 'fine', size: -1, reasons: [1, 'x'] }],
    });
    expect(world).toMatchObject({ folder: '', added: 0, more: 0, truncated: false });
    expect(world.changes).toMatchObject([
      { path: '', sign: '~', state: 'left' },
      { path: 'a', sign: '~', state: 'left', reasons: ['x'] },
    ]);
    expect([worldsIn({ layers: 'x' }), patchIn({}, 'a'), doneIn({})]).toEqual([
      { layers: [], more: 0 },
      { lines: [], more: 0, is_whole: false },
      { entry: null, done: 0, left: [], more: 0 },
    ]);
  });

  it('that is long is cut, and it is told by how much', () => {
    const layers = Array.from({ length: 250 }, (_, at) => ({ layer: String(at) }));
    const told = worldsIn({ layers });
    expect([told.layers.length, told.more, told.layers.at(-1)?.layer]).toEqual([200, 50, '249']);
    const lines = Array.from({ length: 5000 }, String);
    expect(patchIn({ changes: [{ path: 'a', patch: lines }] }, 'a').more).toBe(1000);
    // Of the file that is asked for, and of none below its name.
    expect(patchIn({ changes: [{ path: 'a/b', patch: lines }] }, 'a').lines).toEqual([]);
    const conflicts = Array.from({ length: 300 }, () => ({ path: 'a', what: 'b', help: 'c' }));
    expect(doneIn({ conflicts, committed: ['x'] })).toMatchObject({ done: 1, more: 100 });
  });
});
