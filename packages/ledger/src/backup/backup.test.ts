import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillRun, fillRuns, Scratch } from '../../testing/scratch.js';
import { backupLedger, checkManifest, verifyLedger, type Manifest } from '../index.js';

let scratch: Scratch;
let target: string;
beforeEach(async () => {
  scratch = await new Scratch().fill(fillRuns);
  target = join(scratch.folder, 'backup');
});
afterEach(() => scratch.remove());

const backup = (more: { onProgress?: (pages: number, total: number) => void } = {}): Promise<Manifest> =>
  backupLedger({
    ledger: scratch.path,
    segments: join(scratch.folder, 'segments'),
    target,
    nowMs: 1_760_000_000_000,
    version: '0.1.0',
    ...more,
  });

describe('a backup', () => {
  it('is one folder of private files with a manifest, and the ledger in it verifies', async () => {
    mkdirSync(join(scratch.folder, 'segments'));
    writeFileSync(join(scratch.folder, 'segments', '1.db'), 'closed', { mode: 0o600 });
    const manifest = await backup();
    expect(readdirSync(target).toSorted()).toEqual([
      'checkpoint',
      'genesis',
      'ledger.db',
      'manifest.json',
      'segments',
    ]);
    for (const name of ['.', ...readdirSync(target, { recursive: true }).map(String)]) {
      const stats = statSync(join(target, name));
      expect([name, stats.mode & 0o777]).toEqual([name, stats.isDirectory() ? 0o700 : 0o600]);
    }
    const report = await verifyLedger(join(target, 'ledger.db'));
    expect(report).toMatchObject({
      verdict: 'unproven',
      exit: 6,
      entries: manifest.entries,
      reasons: ['no heads log was given'],
    });
    expect(await verifyLedger(join(target, 'ledger.db'), { headsLog: scratch.headsLog })).toMatchObject({
      exit: 0,
    });
    expect(checkManifest(target)).toEqual(manifest);
    expect(readFileSync(join(target, 'genesis'), 'utf8')).toBe(`${report.genesisFingerprint}\n`);
    expect(readFileSync(join(target, 'checkpoint'), 'utf8')).toContain('subluminal/test-ledger\n');
    expect(readdirSync(scratch.folder).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  it.each(['link', 'folder', 'odd name', '.hidden'])(
    'is not made where a %s stands among the segments, rather than being one that cannot be restored',
    async (kind) => {
      const segments = join(scratch.folder, 'segments');
      mkdirSync(segments);
      if (kind === 'link') symlinkSync(scratch.sealKey, join(segments, '1.db'));
      else if (kind === 'folder') mkdirSync(join(segments, '1.db'));
      else writeFileSync(join(segments, kind), 'x');
      await expect(backup()).rejects.toMatchObject({ code: 'ledger_unsafe' });
      expect(readdirSync(scratch.folder).filter((name) => name.startsWith('backup'))).toEqual([]);
    },
  );

  it('is one moment of a ledger that is written meanwhile', async () => {
    const ledger = await scratch.open();
    const { seq } = ledger.head();
    const stop = new AbortController();
    const writing = (async () => {
      for (let run = 0; !stop.signal.aborted && run < 500; run += 1) await fillRun(ledger, `r${run}`, 5);
    })();
    const manifest = await backup();
    stop.abort();
    await writing;
    expect(manifest.entries).toBeGreaterThanOrEqual(seq);
    expect(ledger.head().seq).toBeGreaterThan(manifest.entries);
    expect(await verifyLedger(join(target, 'ledger.db'), { live: true })).toMatchObject({
      verdict: 'unproven',
      entries: manifest.entries,
      reasons: ['no heads log was given'],
    });
    await ledger.close();
  });

  it('replaces nothing, and leaves nothing behind where it fails', async () => {
    mkdirSync(target);
    await expect(backup()).rejects.toMatchObject({ code: 'usage' });
    expect(readdirSync(target)).toEqual([]);
    target = join(scratch.folder, 'other');
    await expect(
      backup({
        onProgress: () => {
          throw new Error('cut off');
        },
      }),
    ).rejects.toThrow('cut off');
    expect(readdirSync(scratch.folder).filter((name) => name.startsWith('other'))).toEqual([]);
  });

  it('is found out where a file of it was changed, cut or taken away', async () => {
    await backup();
    const path = join(target, 'genesis');
    const text = readFileSync(path, 'utf8');
    chmodSync(path, 0o600);
    for (const changed of [text.replace(/./, 'x'), text.slice(1), '']) {
      writeFileSync(path, changed);
      expect(() => checkManifest(target)).toThrow(expect.objectContaining({ code: 'ledger_corrupt' }));
    }
    writeFileSync(path, text);
    checkManifest(target);
    const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
    for (const changed of ['', '{}', manifest.replace('ledger.db', '../ledger.db'), '[]']) {
      writeFileSync(join(target, 'manifest.json'), changed);
      expect(() => checkManifest(target)).toThrow(expect.objectContaining({ code: 'ledger_missing' }));
    }
  });
});
