import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { familyOf } from './family.js';
import { ancestors, isAlive, parseStat, processIdentity, processName } from './identity.js';

const once = (child: ChildProcess, event: 'spawn' | 'exit'): Promise<void> =>
  new Promise((resolve) => child.once(event, () => resolve()));

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

async function sleeper(env: NodeJS.ProcessEnv = {}, detached = false): Promise<number> {
  const child = spawn('sleep', ['30'], {
    env: { PATH: process.env['PATH'], ...env },
    detached,
    stdio: 'ignore',
  });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

describe('a process', () => {
  test('is known by its pid and start time', async () => {
    const pid = await sleeper();
    const identity = processIdentity(pid);
    expect(identity).toEqual({ pid, start: expect.stringMatching(/^[0-9]{1,20}$/) });
    expect(isAlive({ pid, start: identity?.start ?? '' })).toBe(true);
    expect(isAlive({ pid, start: '1' })).toBe(false);
    expect(processName(pid)).toBe('sleep');
  });

  test('that has ended is gone, also while nobody has collected it', async () => {
    const pid = await sleeper();
    const identity = processIdentity(pid);
    process.kill(pid, 'SIGKILL');
    // The exit of the child is only noticed in a later turn: until then it is a zombie.
    const until = performance.now() + 5000;
    while (processIdentity(pid) !== undefined && performance.now() < until);
    expect(processIdentity(pid)).toBeUndefined();
    expect(identity !== undefined && isAlive(identity)).toBe(false);
  });

  test('cannot be one that no process can be', () => {
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(processIdentity(pid)).toBeUndefined();
  });

  test('has its ancestors, the parent first', async () => {
    const pid = await sleeper();
    const line = ancestors(pid);
    expect(line[0]).toEqual(processIdentity(process.pid));
    expect(line.slice(1)).toEqual(ancestors());
    expect(ancestors()[0]?.pid).toBe(process.ppid);
  });
});

describe('a line of /proc/<pid>/stat', () => {
  const fields = 'S 10 20 21 0 -1 4194304 0 0 0 0 1 2 3 4 20 0 1 0 98765 1000 200';

  test('is read behind the last parenthesis of the name', () => {
    for (const name of ['node', 'a b', 'a) R 1 (b', '))', '']) {
      expect(parseStat(7, `7 (${name}) ${fields}`)).toEqual({
        identity: { pid: 7, start: '98765' },
        parent: 10,
        group: 20,
        session: 21,
        name,
      });
    }
  });

  test('of a zombie or a dead process tells that it is gone', () => {
    for (const state of ['Z', 'X']) {
      expect(parseStat(7, `7 (node) ${fields.replace('S', state)}`)).toBeUndefined();
    }
  });

  test('of another form is an error and no guess', () => {
    expect(() => parseStat(7, '7 node S 1')).toThrow(TypeError);
    expect(() => parseStat(7, `7 (node) S 1 2`)).toThrow(TypeError);
  });
});

test('a family is found by its group and by its token', async () => {
  const token = `token-of-this-test-${process.pid}`;
  const leader = await sleeper({ SUB_UPSTREAM_TOKEN: token }, true);
  const escaped = await sleeper({ SUB_UPSTREAM_TOKEN: token }, true);
  const grouped = await sleeper({}, true);
  const other = await sleeper({ SUB_UPSTREAM_TOKEN: `${token}-longer` }, true);
  const pids = (group?: number) => familyOf({ group, token }).map(({ pid }) => pid);
  expect(pids()).toEqual(expect.arrayContaining([leader, escaped]));
  expect(pids(grouped)).toEqual(expect.arrayContaining([leader, escaped, grouped]));
  expect(pids(grouped)).not.toContain(other);
});
