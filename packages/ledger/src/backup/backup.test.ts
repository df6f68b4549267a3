import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillRun, fillRuns, Scratch } from '../../testing/scratch.js';
import { backupLedger, checkManifest, openLedgerReader, unfinishedBackups, verifyLedger } from '../index.js';
import type { Manifest } from './manifest.js';

let scratch: Scratch;
let target: string;
beforeEach(async () => {
  scratch = await new Scratch().fill(fillRuns);
  target = join(scratch.folder, 'backup');
});
afterEach(() => scratch.remove());

/** Lets a ledger go on in `files` files altogether; the names of the closed ones. */
async function rotate(at: Scratch, files: number): Promise<string[]> {
  for (let file = 1; file < files; file += 1) {
    const ledger = await at.open({ segmentBytes: 1 });
    await fillRun(ledger, `run-file-${file}`, 2);
    await ledger.close();
  }
  return readdirSync(join(at.folder, 'segments')).toSorted();
}

const backup = (
  more: { onProgress?: (pages: number, total: number) => void; signal?: AbortSignal } = {},
): Promise<Manifest> =>
  backupLedger({
    ledger: scratch.path,
    target,
    nowMs: 1_760_000_000_000,
    version: '0.1.0',
    ...more,
  });

describe('a backup', () => {
  it('is one folder of private files with a manifest, and the ledger in it verifies', async () => {
    const manifest = await backup();
    expect(readdirSync(target).toSorted()).toEqual(['checkpoint', 'genesis', 'ledger.db', 'manifest.json']);
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

  it('holds the closed files that belong to it, and nothing else that lies among them', async () => {
    const closed = await rotate(scratch, 3);
    writeFileSync(join(scratch.folder, 'segments', 'notes.txt'), 'x');
    copyFileSync(scratch.path, join(scratch.folder, 'segments', '7-1-2.db'));
    const manifest = await backup();
    expect(manifest.missing).toEqual([]);
    expect(readdirSync(join(target, 'segments')).toSorted()).toEqual(closed);
    expect(checkManifest(target)).toEqual(manifest);
    const { files } = manifest;
    for (const name of closed) {
      expect(statSync(join(target, 'segments', name)).mode & 0o777).toBe(0o600);
      expect(files[`segments/${name}`]?.sha256).toMatch(/^[0-9a-f]{64}$/);
    }
    const [one, other] = [openLedgerReader(join(target, 'ledger.db')), openLedgerReader(scratch.path)];
    const page = { limit: 1000, order: 'asc' } as const;
    expect(one.all(page)).toEqual(other.all(page));
    expect(one.keptPreviews()).toBe(other.keptPreviews());
    one.close();
    other.close();
  });

  it.each(['link', 'folder'])('is not made where a %s stands in the place of a closed file', async (kind) => {
    const [name = ''] = await rotate(scratch, 2);
    const path = join(scratch.folder, 'segments', name);
    renameSync(path, join(scratch.folder, name));
    if (kind === 'link') symlinkSync(join(scratch.folder, name), path);
    else mkdirSync(path);
    await expect(backup()).rejects.toMatchObject({ code: 'ledger_unsafe' });
    expect(readdirSync(scratch.folder).filter((found) => found.startsWith('backup'))).toEqual([]);
  });

  it('says which entries it does not hold, because their file lies elsewhere', async () => {
    const [name = ''] = await rotate(scratch, 3);
    renameSync(join(scratch.folder, 'segments', name), join(scratch.folder, name));
    const manifest = await backup();
    const last = Number(name.split(/[-.]/)[2]);
    expect(manifest.missing).toEqual([{ first: 1, last }]);
    expect(checkManifest(target)).toEqual(manifest);
    const text = readFileSync(join(target, 'manifest.json'), 'utf8');
    writeFileSync(join(target, 'manifest.json'), text.replace(`[[1,${last}]]`, '[[1]]'));
    expect(() => checkManifest(target)).toThrow(expect.objectContaining({ code: 'ledger_missing' }));
  });

  it('keeps the ledger in its file while it is made, and no longer', async () => {
    const ledger = await scratch.open({ segmentBytes: 1 });
    let writing: Promise<void> | undefined;
    const manifest = await backup({
      onProgress: () => {
        writing ??= fillRun(ledger, 'run-x', 400);
      },
    });
    await writing;
    await fillRun(ledger, 'run-y', 400);
    const closed = readdirSync(join(scratch.folder, 'segments')).toSorted();
    expect(closed.length).toBeGreaterThan(1);
    const reader = openLedgerReader(join(target, 'ledger.db'));
    expect(reader.size).toBe(manifest.entries);
    expect(reader.closedFiles.missing).toEqual([]);
    reader.close();
    await ledger.close();
  }, 60_000);

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

  it('leaves nothing behind where it is called off, in whichever of the files it is', async () => {
    await rotate(scratch, 3);
    const left = (): string[] => readdirSync(scratch.folder).filter((name) => name.startsWith('backup'));
    await expect(backup({ signal: AbortSignal.abort(new Error('called off')) })).rejects.toThrow(
      'called off',
    );
    expect(left()).toEqual([]);
    const control = new AbortController();
    const onProgress = (): void => control.abort(new Error('called off'));
    await expect(backup({ signal: control.signal, onProgress })).rejects.toThrow('called off');
    expect(left()).toEqual([]);
  });

  it('can be asked for by what was cut off on the way to it', () => {
    expect(unfinishedBackups(target)).toEqual([]);
    for (const name of ['backup.new-0123456789ab', 'backup.new-notes', 'other.new-0123456789ab'])
      mkdirSync(join(scratch.folder, name));
    expect(unfinishedBackups(target)).toEqual([`${target}.new-0123456789ab`]);
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
