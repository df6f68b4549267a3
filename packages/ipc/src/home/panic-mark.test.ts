import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPanicMark, readPanicMark, writePanicMark } from './panic-mark.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-mark-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the mark that everything is stopped', () => {
  it('keeps when and why', () => {
    const path = join(folder, 'panicked');
    expect(hasPanicMark(path)).toBe(false);
    writePanicMark(path, { sinceMs: 5, reason: 'x' });
    writePanicMark(path, { sinceMs: 9, reason: 'later' });
    expect(readPanicMark(path, 7)).toEqual({ sinceMs: 5, reason: 'x' });
  });

  it.skipIf(process.platform !== 'linux')('stands there without its words where the disk is full', () => {
    const path = join(folder, 'panicked');
    symlinkSync('/dev/full', `${path}.new-${process.pid}`);
    writePanicMark(path, { sinceMs: 5, reason: 'x' });
    expect(hasPanicMark(path)).toBe(true);
    expect(readPanicMark(path, 7)).toEqual({ sinceMs: 7, reason: '' });
  });
});
