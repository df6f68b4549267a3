import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub, SUB } from '../harness/sub.js';

let home: TestHome;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.remove());
const sub = (...args: string[]) => runSub([...args, '--home', home.home]);

it('a reader of the log that leaves ends the printing, and the gateway serves on until it is stopped', async () => {
  const daemon = spawn(process.execPath, [SUB, 'ledgerd', '--home', home.home], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(daemon, 'exit');
  await once(daemon.stderr, 'data');
  daemon.stderr.destroy();
  await eventually('it serves', () => existsSync(join(home.home, 'run', 'gateway.sock')));
  // Each line of the log that it writes from here on meets a closed pipe.
  expect(await sub('status')).toMatchObject({ code: 0 });
  const down = await sub('down');
  expect(down).toMatchObject({ code: 0, stdout: expect.stringContaining('the gateway has stopped') });
  expect(down.stderr).toContain(
    'it starts again with the next call of a client (`autostart` in config.toml)',
  );
  expect(await ended).toEqual([0, null]);
  expect((await sub('audit', 'verify')).code).toBe(0);
});

it('a gateway whose ledger cannot be written is stopped all the same, and so it is replaced', async () => {
  const said = 'the ledger cannot be written, so its record does not have this stop: see `sub doctor`';
  for (const verb of [['down'], ['up', '--restart']]) {
    expect(await sub('up')).toMatchObject({ code: 0 });
    rmSync(`${home.ledger}-wal`);
    expect(await sub(...verb)).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
  }
  expect(await sub('down')).toMatchObject({ code: 0 });
});

it('a record whose gateway.db is gone is set aside by `sub up --new-ledger`, and only such a one', async () => {
  expect(await sub('up', '--new-ledger')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the gateway goes on with its ledger: nothing was set aside'),
  });
  await sub('down');
  rmSync(join(home.home, 'gateway.db'));
  expect((await sub('doctor')).stdout).toContain('no gateway is running');
  expect([`${home.ledger}-wal`, `${home.ledger}-shm`].filter((path) => existsSync(path))).toEqual([]);
  expect(await sub('up')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('begin anew with `sub up --new-ledger`, which sets what is left aside'),
  });
  const { code, stderr } = await sub('up', '--new-ledger');
  const [, folder = ''] = /^set aside in `(.*?)`/.exec(stderr) ?? [];
  expect([code, readdirSync(folder)]).toEqual([
    0,
    expect.arrayContaining(['gateway.db', 'keys', 'ledger.db']),
  ]);
  expect(await sub('audit', 'verify')).toMatchObject({ code: 0 });
  const old = await runSub([
    'audit',
    'verify',
    join(folder, 'ledger.db'),
    '--heads',
    `${home.headsLog}.${basename(folder)}`,
  ]);
  expect(old.stdout).toContain('entries');
  await sub('down');
});

it('a question that nobody can answer names `--yes`, and nothing is done', async () => {
  expect(await sub('uninstall')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nobody answered: `--yes` says that it may be done'),
  });
  expect(existsSync(home.ledger)).toBe(true);
});
