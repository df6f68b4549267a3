import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { type Finished } from '../harness/sub.js';

let at: TestHome;
beforeEach(() => {
  at = createHome();
});
afterEach(() => at.remove());

const sub = (...args: string[]): Promise<Finished> => {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  return runSub([...own, '--home', at.home, ...(end === -1 ? [] : args.slice(end))]);
};
const run = (): Promise<Finished> => sub('run', '--', process.execPath, '-e', '0');

it('a backup of a served ledger can be checked, and restored once the gateway is down; the record says what was given up', async () => {
  expect((await run()).code).toBe(0);
  const folder = join(at.root, 'backup');
  const made = await sub('audit', 'backup', folder, '--json');
  expect(made.code).toBe(0);
  expect((await runSub(['audit', 'verify', folder])).code).toBe(6);
  expect((await run()).code).toBe(0);

  const status = JSON.parse((await sub('audit', 'status', '--json')).stdout);
  expect(status).toMatchObject({
    entries: expect.any(Number),
    mistake: null,
    heads_log: at.headsLog,
    gateway: { durability: 'fsync', budget: { level: 'ok' } },
    next: expect.stringContaining('sub audit anchor'),
  });
  expect((await sub('audit', 'status')).stdout).toContain('next');

  expect(JSON.parse((await sub('audit', 'restore', folder, '--yes', '--json')).stdout)).toMatchObject({
    error: { code: 'already_running' },
  });
  await sub('down');
  const unasked = await sub('audit', 'restore', folder);
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain('entries for good');
  const restored = await sub('audit', 'restore', folder, '--yes', '--reason', 'a test', '--json');
  expect(restored.stderr).toBe('');
  const { entries } = JSON.parse(made.stdout) as { entries: number };
  const facts = JSON.parse(restored.stdout) as { restored: number; given_up: number };
  expect(facts.restored).toBe(entries);
  expect(facts.given_up).toBeGreaterThan(0);

  const verified = await sub('audit', 'verify');
  expect(verified.code).toBe(0);
  expect(verified.stdout).toContain(`${facts.given_up} later entries were given up (a test)`);
  expect(readdirSync(at.home).filter((name) => name.startsWith('replaced-'))).toHaveLength(1);
  expect((await run()).code).toBe(0);
  await sub('down');
  expect((await sub('audit', 'verify')).code).toBe(0);
});

it('a restore says beforehand that an anchor knows more than the backup, and verification says so after it', async () => {
  expect((await run()).code).toBe(0);
  const folder = join(at.root, 'backup');
  expect((await sub('audit', 'backup', folder)).code).toBe(0);
  expect((await run()).code).toBe(0);
  const anchor = join(at.root, 'anchor.txt');
  expect((await sub('audit', 'anchor', '--file', anchor)).code).toBe(0);
  await sub('down');
  const restored = await sub('audit', 'restore', folder, '--yes');
  expect([restored.code, restored.stderr]).toEqual([
    0,
    expect.stringContaining(`the file anchor \`${anchor}\` knows`),
  ]);
  const verified = await sub('audit', 'verify');
  expect([verified.code, verified.stdout]).toEqual([4, expect.stringContaining('class anchor')]);
});

it('a backup that cannot be made is told of by the name that was asked for', async () => {
  expect((await run()).code).toBe(0);
  const parent = join(at.root, 'absent');
  const told = await sub('audit', 'backup', join(parent, 'backup'));
  expect(told).toMatchObject({
    code: 1,
    stderr:
      `error[failed]: \`${join(parent, 'backup')}\` cannot be made: no such file or folder\n` +
      `help: make the folder \`${parent}\` first, or name another place\n`,
  });
  const below = await sub('audit', 'backup', join(at.ledger, 'backup'));
  expect(below.stderr).toBe(
    `error[failed]: \`${join(at.ledger, 'backup')}\` cannot be made: a part of its path is no folder\n` +
      'help: name a place in a folder that you can write, on a disk with room\n',
  );
});

it('a backup names what one to the same place left behind when it was cut off', async () => {
  expect((await run()).code).toBe(0);
  const folder = join(at.root, 'backup');
  const left = `${folder}.new-0123456789ab`;
  mkdirSync(left);
  const made = await sub('audit', 'backup', folder, '--json');
  expect([made.code, made.stderr]).toEqual([
    0,
    expect.stringContaining(`\`${left}\` is a backup that was cut off`),
  ]);
  expect(JSON.parse(made.stdout)).toMatchObject({ unfinished: [left] });
});
