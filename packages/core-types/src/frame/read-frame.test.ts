import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize } from '../json/canonicalize.js';
import { parseJson } from '../json/parse.js';
import { FrameReader } from './read-frame.js';

const spaced = (count: number, last = '0'): string => `[${'0, '.repeat(count)}${last}]`;

describe('the reader of frames', () => {
  it('reads what the strict parser reads, at once where that is short', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 1);
        const read = new FrameReader().read(text, 'run');
        expect(read).toEqual({ value: parseJson(text) });
      }),
    );
  });

  it('reads a long text that no client would write in turns of the event loop', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const text = spaced(100_000);
    const { value } = await new FrameReader().read(text, 'run');
    isOver = true;
    expect(canonicalize(value)).toBe(canonicalize(parseJson(text)));
    expect(turns).toBeGreaterThan(20);
  });

  it('reads one such text after the other, also behind one that is broken', async () => {
    const reader = new FrameReader();
    const ended: string[] = [];
    const texts = { first: spaced(200_000), broken: spaced(60_000, 'x'), last: spaced(50_000) };
    const reads = Object.entries(texts).map(async ([name, text]) => {
      try {
        await reader.read(text, 'run');
        ended.push(name);
      } catch (error) {
        ended.push(`${name}: ${error instanceof Error ? error.message : ''}`);
      }
    });
    await Promise.all(reads);
    expect(ended).toEqual(['first', 'broken: invalid json at character 180002: not a value', 'last']);
  });

  it('reads one text of each run after one of each other run', async () => {
    const reader = new FrameReader();
    const ended: string[] = [];
    const asked = ['hostile', 'hostile', 'hostile', 'honest'].map(async (run, at) => {
      await reader.read(spaced(50_000), run);
      ended.push(`${run} ${at}`);
    });
    await Promise.all(asked);
    expect(ended).toEqual(['hostile 0', 'honest 3', 'hostile 1', 'hostile 2']);
    await reader.read(spaced(50_000), 'honest');
    expect(ended).toHaveLength(4);
  });
});
