import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { guardGroups } from './codex-guard.js';
import { serverMark, type ServerMark } from './server-mark.js';

let home: string;
let processes: ChildProcess[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), `sub-guard's "$x" `));
  processes = [];
});
afterEach(async () => {
  await Promise.all(processes.map(ended));
  rmSync(home, { recursive: true, force: true });
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGKILL');
  });
}

function started(program: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  processes.push(child);
  return child;
}

/** The mark of a server of this process, as of a Codex. */
function marked(pid = 0): ServerMark {
  const mark = serverMark(join(home, 'run/hooks'), process.pid, pid);
  mark.starting();
  mark.set();
  return mark;
}

/** Whether the guard lets a call of this process be made. */
function isMade(): boolean {
  const [{ group } = {}] = guardGroups({ home, blockedWhenAway: ['Bash'] });
  const { hooks } = group as { readonly hooks: readonly { readonly command: string }[] };
  const { status, stderr } = spawnSync('/bin/sh', ['-c', hooks[0]?.command ?? ''], { input: '{}' });
  expect(String(stderr).includes('nobody could decide this call')).toBe(status === 2);
  return status === 0;
}

test('no call is made without a server, and after the only one has ended', async () => {
  expect(isMade()).toBe(false);
  const server = started('sleep', '60');
  const mark = marked(server.pid);
  expect(isMade()).toBe(true);
  await ended(server);
  expect(isMade()).toBe(false);
  mark.clear();
  expect(isMade()).toBe(false);
});

test('the end of one server of a client leaves the calls of the others', async () => {
  const [first, second] = [started('sleep', '60'), started('sleep', '60')];
  marked(first.pid);
  const mark = marked(second.pid);
  await ended(second);
  expect(isMade()).toBe(true);
  mark.clear();
  expect(isMade()).toBe(true);
  await ended(first);
  expect(isMade()).toBe(false);
});

test('a server that is stopped answers nobody, so no call is made', () => {
  const server = started('sleep', '60');
  marked(server.pid);
  server.kill('SIGSTOP');
  expect(isMade()).toBe(false);
  server.kill('SIGCONT');
  expect(isMade()).toBe(true);
});

test('a server that has ended, and that its client has not waited for, is not there', async () => {
  const client = started('sh', '-c', 'true & echo $!; exec sleep 60');
  const pid = await new Promise<unknown>((resolve) => client.stdout?.once('data', resolve));
  marked(Number(String(pid)));
  expect(isMade()).toBe(false);
});

test('a call of one thread waits until the server of another has started, and is refused where it does not', () => {
  marked(started('sleep', '60').pid);
  const second = serverMark(join(home, 'run/hooks'), process.pid, started('sleep', '60').pid ?? 0);
  second.starting();
  expect(isMade()).toBe(false);
  second.set();
  expect(isMade()).toBe(true);
});

test('a server that ended while it started keeps no call from being made', async () => {
  marked(started('sleep', '60').pid);
  const second = started('sleep', '60');
  serverMark(join(home, 'run/hooks'), process.pid, second.pid ?? 0).starting();
  await ended(second);
  expect(isMade()).toBe(true);
});
