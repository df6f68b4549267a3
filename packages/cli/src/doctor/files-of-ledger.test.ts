import { homePaths } from '@subluminal/ipc';
import { createLedger, openLedger } from '@subluminal/ledger';
import { generateKeyPairSync } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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

describe('the check of closed files', () => {
  /** A ledger that has gone on in another file three times; the names of the closed ones, oldest first. */
  async function rotated(): Promise<string[]> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const path = join(folder, 'ledger.db');
    const sealKeyPath = join(folder, 'seal');
    const first = { path, sealKeyPath, ledgerId: 'test', createdMs: 1, version: '0.1.0' };
    createLedger({ ...first, signingKey: privateKey });
    for (const ts of [1, 2, 3, 4, 5]) {
      const ledger = await openLedger({
        path,
        sealKeyPath,
        signingKey: { privateKey },
        durability: 'process',
        segmentBytes: 1,
        clock: () => ts,
      });
      await ledger.append({ entries: [{ type: 'shim_health', ts, runId: null, data: {} }] });
      await ledger.close();
    }
    return readdirSync(join(folder, 'segments')).toSorted();
  }

  const moveAway = (name: string): void =>
    renameSync(join(folder, 'segments', name), join(folder, `${name}.elsewhere`));

  it('is content while all of them are there', async () => {
    expect(await rotated()).toHaveLength(3);
    expect(checkSegments(homePaths(folder)).level).toBe('ok');
  });

  it('names an older one that is not there, without which the gateway works', async () => {
    const [, second = ''] = await rotated();
    moveAway(second);
    expect(checkSegments(homePaths(folder))).toMatchObject({
      level: 'warn',
      message: `not in \`segments/\`: \`${second}\``,
      help: expect.stringMatching(/^put back/),
    });
  });

  it('fails where the newest is not there: the gateway does not start without it', async () => {
    const [first = '', , third = ''] = await rotated();
    moveAway(first);
    moveAway(third);
    expect(checkSegments(homePaths(folder))).toMatchObject({
      level: 'fail',
      message: `not in \`segments/\`: \`${third}\`, \`${first}\``,
      help: expect.stringContaining('newest'),
    });
  });
});
