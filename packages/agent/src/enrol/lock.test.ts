import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processIdentity } from '@subluminal/ipc';
import { takeLock } from './lock.js';

const me = processIdentity(process.pid) ?? { pid: 0, start: '0' };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const take = (timeoutMs = 2000, done?: () => boolean) =>
  takeLock({ path, me, timeoutMs, ...(done === undefined ? {} : { done }) });

test('a lock is held by one at a time', async () => {
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    const release = await take(10_000);
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside -= 1;
    release?.();
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock of a process that is gone is taken over', async () => {
  for (const stale of [
    { ...me, start: '1' },
    { pid: 2 ** 22 - 1, start: '5' },
  ]) {
    writeFileSync(path, JSON.stringify(stale));
    const release = await take();
    expect(release).toBeTypeOf('function');
    release?.();
  }
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['', '{', 'null', '{"pid":1}'])(
  'a lock that names no process (%j) is taken over after a moment',
  async (text) => {
    writeFileSync(path, text);
    const release = await take(5000);
    expect(release).toBeTypeOf('function');
    release?.();
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('a lock of a running process is waited for, and then given up', async () => {
  writeFileSync(path, JSON.stringify(me));
  await expect(take(50)).rejects.toMatchObject({ code: 'timed_out' });
  expect(readdirSync(folder)).toEqual(['lock']);
});

test('waiting ends without the lock when what it guards is done', async () => {
  writeFileSync(path, JSON.stringify(me));
  let looks = 0;
  expect(await take(2000, () => (looks += 1) > 2)).toBeUndefined();
});

test('a lock whose folder is gone, or which another holds by now, is not freed', async () => {
  const release = await take();
  const other = JSON.stringify({ ...me, start: '1' });
  writeFileSync(path, other);
  release?.();
  expect(readFileSync(path, 'utf8')).toBe(other);
  rmSync(path);
  release?.();
});
