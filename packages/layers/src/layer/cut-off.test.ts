import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownIdentity } from '@subluminal/ipc';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { cutOffIn, markBegun, unmarkBegun } from './cut-off.js';
import { layerPlace } from './place.js';

const root = mkdtempSync(join(tmpdir(), 'cut-off-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const place = layerPlace(root, 'one');
/** A number that no process of this machine has any more, since it began at another time. */
const GONE = { pid: process.pid, start: '1' };
const journal = (...lines: readonly object[]): void =>
  writeFileSync(place.journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

describe('a decision that was cut off', () => {
  beforeEach(() => {
    rmSync(place.folder, { recursive: true, force: true });
    mkdirSync(place.folder);
  });

  it('is none if nothing was begun, and none if its end is recorded', () => {
    expect(cutOffIn(place)).toBeUndefined();
    markBegun(place, 17, GONE);
    unmarkBegun(place);
    expect(cutOffIn(place)).toBeUndefined();
  });

  it('names its entry, and counts the files that may be half-way', () => {
    markBegun(place, 17, GONE);
    expect(cutOffIn(place)).toEqual({ begun: 17, unsettled: 0 });
    journal(
      { token: 'a'.repeat(32), holder: GONE },
      {
        open: [
          [0, 'a'],
          [1, 'b'],
        ],
      },
    );
    expect(cutOffIn(place)).toEqual({ begun: 17, unsettled: 2 });
    writeFileSync(place.recorded, '{"beg');
    expect(cutOffIn(place)).toEqual({ begun: undefined, unsettled: 2 });
  });

  it('is refused as long as it goes on', () => {
    markBegun(place, 17, ownIdentity());
    expect(() => cutOffIn(place)).toThrow('is going on');
    unmarkBegun(place);
    journal({ token: 'a'.repeat(32), holder: ownIdentity() });
    expect(() => cutOffIn(place)).toThrow('is going on');
  });
});
