import { homePaths } from '@subluminal/ipc';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSegments } from './files-of-ledger.js';

const MB = 1_048_576;
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'subl-doctor-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A home with a ledger of that size. */
function check(mb: number, config?: string): unknown {
  const handle = openSync(join(folder, 'ledger.db'), 'w');
  ftruncateSync(handle, mb * MB);
  closeSync(handle);
  if (config !== undefined) writeFileSync(join(folder, 'config.toml'), config);
  return checkSegments(homePaths(folder)).level;
}

describe('the check of the files of a ledger', () => {
  it.each([
    ['of any size where it stays one', 5000, '[ledger]\nsegment_mb = "unlimited"\n', 'ok'],
    ['that is to be closed with the next seal', 2, '[ledger]\nsegment_mb = 1\n', 'ok'],
    ['that should have been closed long ago', 3, '[ledger]\nsegment_mb = 1\n', 'warn'],
    ['by the default', 2048, undefined, 'ok'],
    ['by the default, and too large', 2049, undefined, 'warn'],
    ['by the default where the config has a mistake', 2049, 'segment_mb = 1\n', 'warn'],
    ['by the default where the config is none', 2049, '[', 'warn'],
  ])('judges one %s', (_, mb, config, level) => {
    expect(check(mb, config)).toBe(level);
  });

  it('finds nothing where there is no ledger yet', () => {
    expect(checkSegments(homePaths(folder)).level).toBe('ok');
  });
});
