import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathOfText } from '../files/byte-path.js';
import { Folder } from '../files/folder.js';
import { removeTree } from './tree.js';

const folder = (): string => {
  const path = mkdtempSync('/var/tmp/sub-tree-');
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const removed = async (root: string, name: string): Promise<void> => {
  const open = Folder.open(root);
  try {
    await removeTree(open, pathOfText(name));
  } finally {
    open.close();
  }
};

describe('a tree that is removed', () => {
  it('may be deeper than a path can be long', async () => {
    const root = folder();
    execFileSync('perl', [
      '-e',
      'chdir $ARGV[0]; mkdir "deep"; chdir "deep"; for (1..2500) { mkdir "dd"; chdir "dd" } open(F, ">end")',
      root,
    ]);
    await removed(root, 'deep');
    expect(readdirSync(root)).toEqual([]);
  });

  it('may have folders that nobody enters, and more files than are read at once', async () => {
    const root = folder();
    mkdirSync(join(root, 'a/closed'), { recursive: true });
    for (let file = 0; file < 2500; file += 1) writeFileSync(join(root, `a/f${file}`), '');
    writeFileSync(join(root, 'a/closed/in'), '');
    execFileSync('mkfifo', [join(root, 'a/pipe')]);
    chmodSync(join(root, 'a/closed'), 0);
    chmodSync(join(root, 'a'), 0o500);
    await removed(root, 'a');
    expect(readdirSync(root)).toEqual([]);
  });

  it('ends at links', async () => {
    const [root, outside] = [folder(), folder()];
    writeFileSync(join(outside, 'f'), '');
    mkdirSync(join(root, 'a'));
    symlinkSync(outside, join(root, 'a/l'));
    await removed(root, 'a');
    symlinkSync(outside, join(root, 'l'));
    await removed(root, 'l');
    expect(readdirSync(root)).toEqual([]);
    expect(existsSync(join(outside, 'f'))).toBe(true);
  });
});
