import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually, processesWith, watchEnd } from './processes.js';

/** Listens, and has so much memory that the system takes a while to give it back. */
const SERVER = `const kept = Buffer.alloc(400 << 20, 1);
require('node:net').createServer().listen(process.argv[1], () => console.log(kept.length));`;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sub-ends-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function isAnswered(socket: string): Promise<boolean> {
  const dialled = connect(socket);
  const answered = await Promise.race([
    once(dialled, 'connect').then(() => true),
    once(dialled, 'error').then(() => false),
  ]).catch(() => false);
  dialled.destroy();
  return answered;
}

it('a process that is killed has ended only once nobody answers at its socket any more', async () => {
  const socket = join(folder, 'socket');
  const child = spawn(process.execPath, ['-e', SERVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(await isAnswered(socket)).toBe(true);
  const [found] = processesWith(socket);
  expect(found?.pid).toBe(child.pid);
  const hasEnded = watchEnd(child.pid ?? 0);
  expect(hasEnded()).toBe(false);
  child.kill('SIGKILL');
  // Its arguments are gone with its memory, and so before its descriptors.
  while (processesWith(socket).length > 0);
  await eventually('it ends', hasEnded);
  expect(await isAnswered(socket)).toBe(false);
});

it('a process that is not there has ended', () => {
  expect(watchEnd(2 ** 22 + 1)()).toBe(true);
});
