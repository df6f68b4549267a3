import { linkSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SealKeyFile } from './key-file.js';

let folder: string;
let path: string;
let file: SealKeyFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-key-'));
  path = join(folder, 'seal');
  file = new SealKeyFile(path);
  file.first();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['at once', () => Promise.resolve(file.promote())],
  ['beside the commits', () => file.promoteAside()],
])('a successor that takes the place of the key %s', (_, promote) => {
  it('leaves nothing of the old key where it stood', async () => {
    const old = join(folder, 'the same bytes');
    linkSync(path, old);
    const length = readFileSync(old).length;
    file.stage();
    const staged = readFileSync(`${path}.next`, 'utf8');
    await promote();
    expect(readFileSync(path, 'utf8')).toBe(staged);
    expect(readFileSync(old).equals(Buffer.alloc(length))).toBe(true);
  });

  it('replaces a link, and leaves what it leads to as it is', async () => {
    const kept = join(folder, 'elsewhere');
    renameSync(path, kept);
    symlinkSync(kept, path);
    const key = readFileSync(kept, 'utf8');
    file.stage();
    await promote();
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(kept, 'utf8')).toBe(key);
  });
});
