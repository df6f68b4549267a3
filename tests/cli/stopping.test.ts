import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { processIdentity } from '@subluminal/ipc';
import { takeLock } from '@subluminal/agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { SUB } from '../harness/sub.js';

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
  const other = new Database(home.ledger);
  other.pragma('locking_mode = EXCLUSIVE');
  other.exec('BEGIN IMMEDIATE');
  expect(await sub('up', '--new-ledger')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/locked|busy/),
  });
  other.close();
  expect(existsSync(home.ledger)).toBe(true);
  rmSync(join(home.home, 'gateway.db'));
  const spool = join('run', 'away', '01JB0000000000000000000000', 'a'.repeat(22) + '.1-1');
  mkdirSync(dirname(join(home.home, spool)), { recursive: true, mode: 0o700 });
  writeFileSync(join(home.home, spool), 'what a shim did alone', { mode: 0o600 });
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
  expect(readFileSync(join(folder, spool), 'utf8')).toBe('what a shim did alone');
  expect(existsSync(join(home.home, spool))).toBe(false);
  expect(await sub('audit', 'verify')).toMatchObject({ code: 0 });
  expect(await runSub(['audit', 'verify', folder])).toMatchObject({ code: 0 });
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

it.concurrent('a record that was set aside by half starts no gateway, and the next `sub up --new-ledger` finishes it', async () => {
  const other = createHome();
  const own = (...args: string[]) => runSub([...args, '--home', other.home]);
  try {
    expect(await own('up')).toMatchObject({ code: 0 });
    expect(await own('down')).toMatchObject({ code: 0 });
    const folder = join(other.root, 'subluminal-record-2026-01-02');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(other.home, 'setting-aside'), `../${basename(folder)}\n`, { mode: 0o600 });
    renameSync(join(other.home, 'keys'), join(folder, 'keys'));
    const said = `the record of this home was being moved to \`${folder}\`, and that was cut off`;
    for (const verb of [['up'], ['audit', 'verify']])
      expect(await own(...verb)).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
    expect((await own('doctor')).stdout).toContain(said);
    const { code, stderr } = await own('up', '--new-ledger');
    expect([code, stderr]).toEqual([0, expect.stringContaining(`set aside in \`${folder}\``)]);
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['config.toml', 'gateway.db', 'keys', 'ledger.db']),
    );
    expect(await runSub(['audit', 'verify', folder])).toMatchObject({ code: 0 });
    expect(await own('audit', 'verify')).toMatchObject({ code: 0 });
  } finally {
    await other.remove();
  }
});

it.concurrent('uninstall waits for whoever is starting a gateway, so that none starts between its stop and the moves', async () => {
  const other = createHome();
  try {
    expect(await runSub(['up', '--home', other.home])).toMatchObject({ code: 0 });
    const release = await takeLock({
      path: join(other.home, 'run', 'start.lock'),
      me: processIdentity(process.pid) ?? { pid: 0, start: '' },
      timeoutMs: 1000,
    });
    const refused = await runSub(['uninstall', '--yes', '--home', other.home]);
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('another process is starting the gateway and does not finish'),
    });
    expect(await runSub(['status', '--home', other.home])).toMatchObject({ code: 0 });
    release?.();
    expect(await runSub(['uninstall', '--yes', '--home', other.home])).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(other.home)).toBe(false);
  } finally {
    await other.remove();
  }
});

it.concurrent('a home remembers where the one who made it keeps state, for gateways that know nothing of that environment', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sub-'));
  const own = join(root, 'home');
  const under = (...args: string[]) =>
    runSub([...args, '--home', own], {
      env: { PATH: process.env['PATH'], HOME: join(root, 'user'), XDG_STATE_HOME: join(root, 'state') },
    });
  const logs = (): string[] =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('heads.log'));
  try {
    expect(await under('up')).toMatchObject({ code: 0 });
    expect(logs()).toEqual([expect.stringMatching(/^state\/subluminal\/[A-Za-z0-9_-]{20}\/heads\.log$/)]);
    // Another environment, as a shim's: the same memory.
    expect(await runSub(['up', '--restart', '--home', own])).toMatchObject({ code: 0 });
    expect(logs()).toHaveLength(1);
    expect(await runSub(['audit', 'verify', '--home', own])).toMatchObject({ code: 0 });
    // One that was set aside is remembered there as well, and found by its folder.
    expect(await under('down')).toMatchObject({ code: 0 });
    rmSync(join(own, 'gateway.db'));
    const aside = /^set aside in `(.*?)`/.exec((await under('up', '--new-ledger')).stderr)?.[1] ?? '';
    expect(logs()).toHaveLength(2);
    expect(await runSub(['audit', 'verify', aside])).toMatchObject({ code: 0 });
    rmSync(aside, { recursive: true });
    const { code, stdout } = await under('uninstall', '--yes');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`${root}/state/subluminal/.*/heads\\.log`)),
    ]);
    const [record = ''] = readdirSync(root).filter((name) => name.startsWith('subluminal-record-'));
    expect(await runSub(['audit', 'verify', '--home', join(root, record)])).toMatchObject({ code: 0 });
    // Without the variable: the `HOME` of whoever makes it.
    const env = { PATH: process.env['PATH'], HOME: join(root, 'user') };
    expect(await runSub(['policy', 'init', 'developer-laptop', '--home', own], { env })).toMatchObject({
      code: 0,
    });
    expect(readFileSync(join(own, 'state-home'), 'utf8')).toBe(`${join(root, 'user', '.local', 'state')}\n`);
  } finally {
    await stopGateway(own);
    rmSync(root, { recursive: true, force: true });
  }
});

it.concurrent('keys that are left of a home lead to the usual memory, whatever state folder is named now', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sub-'));
  const own = join(root, 'home');
  mkdirSync(join(own, 'keys'), { recursive: true, mode: 0o700 });
  const env = { PATH: process.env['PATH'], HOME: join(root, 'user'), XDG_STATE_HOME: join(root, 'state') };
  try {
    expect(await runSub(['policy', 'init', 'developer-laptop', '--home', own], { env })).toMatchObject({
      code: 0,
    });
    expect(existsSync(join(own, 'state-home'))).toBe(false);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
