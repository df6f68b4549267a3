import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type BytePath, pathOfText } from '../files/byte-path.js';
import { type Base, Bases } from './bases.js';

const NONE: Base = { before: undefined, isStale: false, taken: { inode: 7n, changedAt: 8n } };
const based = (path: string): Base & { readonly path: BytePath } => ({ ...NONE, path: pathOfText(path) });

const fileOf = (): string => {
  const root = mkdtempSync('/var/tmp/sub-bases-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  return join(root, 'bases');
};

it('what is remembered again and again takes no more room for it, and is read as before', () => {
  const file = fileOf();
  const bases = new Bases(file);
  bases.add([based('stays'), { ...based('stale'), isStale: true }]);
  const sizes = Array.from({ length: 20 }, () => {
    for (let at = 0; at < 300; at += 1) {
      bases.add([based('again')]);
      bases.forget([pathOfText('again')]);
    }
    bases.compact();
    return statSync(file).size;
  });
  expect(Math.max(...sizes)).toBeLessThan(100_000);
  const read = new Bases(file);
  expect(['stays', 'stale', 'again'].map((path) => read.of(pathOfText(path)))).toEqual([
    NONE,
    { ...NONE, isStale: true },
    undefined,
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('what somebody else has made void in the file counts, too', () => {
  const file = fileOf();
  const first = new Bases(file);
  for (let at = 0; at < 1000; at += 1) {
    first.add([based('a')]);
    first.forget([pathOfText('a')]);
  }
  first.add([based('b')]);
  const second = new Bases(file);
  second.compact();
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2);
});
