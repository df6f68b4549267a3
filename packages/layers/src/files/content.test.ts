import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '@subluminal/core-types';
import { expect, it, onTestFinished } from 'vitest';
import { pathOfText } from './byte-path.js';
import { sha256At } from './content.js';
import { Folder } from './folder.js';

const MIB = 1_048_576;

const folderOf = (): { readonly root: string; readonly folder: Folder } => {
  const root = mkdtempSync('/var/tmp/sub-content-');
  const folder = Folder.open(root);
  onTestFinished(() => {
    folder.close();
    rmSync(root, { recursive: true });
  });
  return { root, folder };
};

it('a large file is hashed in many turns of the event loop', async () => {
  const { root, folder } = folderOf();
  writeFileSync(join(root, 'big'), '');
  truncateSync(join(root, 'big'), 256 * MIB);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await sha256At(folder, pathOfText('big'), 256 * MIB);
  isDone = true;
  expect(turns).toBeGreaterThan(25);
});

it('a file has no hash if it has other than so many bytes', async () => {
  const { root, folder } = folderOf();
  writeFileSync(join(root, 'a'), 'abc');
  const at = (size: number): Promise<string | undefined> => sha256At(folder, pathOfText('a'), size);
  expect([await at(2), await at(3), await at(4)]).toEqual([undefined, sha256Hex('abc'), undefined]);
});
