import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteDatabase from 'better-sqlite3';
import { startGateway } from '@subluminal/daemon';
import { homePaths, readCredential } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { dataOf, start, temporaryHome } from './harness.js';

const GATEWAY = fileURLToPath(new URL('../../packages/daemon/dist/bundle/gateway.js', import.meta.url));

const HEAD = `policy_id: t
version: '2'
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
`;

describe('a start', () => {
  it('makes what is missing, all of it private, and writes both keys before it listens', async () => {
    const { paths } = await start();
    for (const path of [
      paths.gatewayDb,
      paths.ledgerDb,
      paths.operatorKey,
      paths.enrolKey,
      paths.sealKey,
      paths.gatewayLog,
      paths.socket,
    ]) {
      expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
    }
    for (const path of [paths.keysDir, paths.runDir, paths.ticketsDir, paths.logsDir]) {
      expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o700]);
    }
    expect(readCredential(paths.operatorKey)).toMatchObject({
      v: 1,
      kind: 'operator',
      id: 'operator',
      epoch: 1,
    });
    expect(readCredential(paths.enrolKey)).toMatchObject({ kind: 'enrol', id: 'enrol' });
  });

  it.each([
    ['policy.yaml', (token: string) => `${HEAD}rules: []\n${token}: 1\n`],
    ['policy.yaml', (token: string) => `${HEAD}rules: *${token}\n`],
    ['config.toml', (token: string) => `${token} = 1\n`],
    ['config.toml', (token: string) => `[egress]\nmode = "${token}"\n`],
  ])('that a mistake in %s ends shows no credential of the file', (file, text) => {
    const { home } = temporaryHome();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    writeFileSync(join(home, file), text(token), { mode: 0o600 });
    const { status, stderr } = spawnSync(process.execPath, [GATEWAY, '--home', home], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^(policy|config)_invalid: /);
    const log = join(home, 'logs', 'gateway.log');
    expect(stderr + (existsSync(log) ? readFileSync(log, 'utf8') : '')).not.toContain(token.slice(0, 20));
  });

  it('that fails when the socket is open already leaves no process that would answer there', async () => {
    const { home } = temporaryHome();
    const paths = homePaths(home);
    await (await startGateway({ home })).stop('test');
    const db = new SqliteDatabase(paths.gatewayDb);
    db.exec("CREATE TRIGGER t BEFORE INSERT ON proxy_port BEGIN SELECT RAISE(ABORT, 'no room'); END");
    db.close();
    const { status, stderr } = spawnSync(process.execPath, [GATEWAY, '--home', home], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^failed: .*no room/)]);
    expect(existsSync(paths.socket)).toBe(false);
  });

  it('never makes the home itself', async () => {
    const { home } = temporaryHome();
    const missing = join(home, 'no');
    await expect(startGateway({ home: missing })).rejects.toMatchObject({ code: 'home_missing' });
    expect(existsSync(missing)).toBe(false);
  });

  it('refuses a home that others can write, and files that others can read', async () => {
    const { home, headsLog } = temporaryHome();
    chmodSync(home, 0o777);
    await expect(startGateway({ home, headsLog })).rejects.toMatchObject({ code: 'home_unsafe' });
    chmodSync(home, 0o700);
    const paths = homePaths(home);
    mkdirSync(paths.keysDir, { mode: 0o700 });
    writeFileSync(paths.sealKey, 'x');
    chmodSync(paths.sealKey, 0o644);
    await expect(startGateway({ home, headsLog })).rejects.toMatchObject({ code: 'home_unsafe' });
    rmSync(paths.sealKey);
    symlinkSync('/dev/null', paths.gatewayDb);
    await expect(startGateway({ home, headsLog })).rejects.toMatchObject({ code: 'home_unsafe' });
  });

  it('refuses a socket path that the system would cut', async () => {
    const { home } = temporaryHome();
    const long = join(home, 'x'.repeat(90));
    mkdirSync(long, { mode: 0o700 });
    await expect(startGateway({ home: long })).rejects.toMatchObject({ code: 'path_too_long' });
  });

  it('refuses a home that another gateway serves, and leaves that one alone', async () => {
    const world = await start();
    await expect(startGateway({ home: world.paths.home, headsLog: world.headsLog })).rejects.toMatchObject({
      code: 'already_running',
    });
    expect((await (await world.operator()).request('gateway.status', {})).status).toBe('success');
  });

  it('refuses a home where something else is in the place of the socket', async () => {
    const { home, headsLog } = temporaryHome();
    const paths = homePaths(home);
    mkdirSync(paths.socket, { recursive: true, mode: 0o700 });
    await expect(startGateway({ home, headsLog })).rejects.toMatchObject({ code: 'home_unsafe' });
  });

  it.each([
    ['an earlier', 0],
    ['a later', 6],
  ])('refuses a home whose tables are of %s version, and says which', async (_which, version) => {
    const world = await start();
    await world.gateway.stop('test');
    const { home, gatewayDb } = world.paths;
    expect(pragma(gatewayDb, 'user_version')).toBe(5);
    pragma(gatewayDb, `user_version=${version}`);
    await expect(startGateway({ home, headsLog: world.headsLog })).rejects.toMatchObject({
      code: 'not_available',
      message: `\`${gatewayDb}\` has schema version ${version}, and this gateway reads up to version 5`,
      help: expect.stringContaining('the version of subluminal that wrote it'),
    });
    expect(pragma(gatewayDb, 'user_version')).toBe(version);
    pragma(gatewayDb, 'user_version=5');
    await world.restart();
  });

  it('refuses a home from before version 1 of its tables, and says how to keep it', async () => {
    const world = await start();
    await world.gateway.stop('test');
    const { home, gatewayDb } = world.paths;
    // "Subg", as the databases of before were marked.
    pragma(gatewayDb, 'application_id=0x53756267');
    await expect(startGateway({ home, headsLog: world.headsLog })).rejects.toMatchObject({
      code: 'home_too_old',
      message: `\`${gatewayDb}\` is older than this version reads`,
      help: 'to keep the home, serve it with the version that wrote it; to begin anew, move it away, or use `--home`',
    });
  });

  it("refuses a database that is not a gateway's", async () => {
    const { home, headsLog } = temporaryHome();
    const { gatewayDb } = homePaths(home);
    writeFileSync(gatewayDb, '', { mode: 0o600 });
    const db = new SqliteDatabase(gatewayDb);
    db.exec('CREATE TABLE other(a)');
    db.close();
    await expect(startGateway({ home, headsLog })).rejects.toMatchObject({
      code: 'home_unsafe',
      message: `\`${gatewayDb}\` is not a gateway's database`,
    });
  });

  it('says in one line what it did not foresee, with what to do, and keeps the rest for the log', async () => {
    const { paths, headsLog, gateway } = await start();
    await gateway.stop('test');
    const db = new SqliteDatabase(paths.gatewayDb);
    db.exec('ALTER TABLE identity RENAME COLUMN created_ms TO made_ms');
    db.close();
    const { status, stderr } = spawnSync(
      process.execPath,
      [GATEWAY, '--home', paths.home, '--heads-log', headsLog],
      { encoding: 'utf8' },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^failed: the gateway could not be started: .*created_ms \(run `sub doctor`[^\n]*\)\n$/,
    );
    expect(readFileSync(paths.gatewayLog, 'utf8')).toContain('the gateway could not be started');
  });

  it('takes over the socket that a dead gateway left', async () => {
    const { home, headsLog } = temporaryHome();
    const paths = homePaths(home);
    mkdirSync(paths.runDir, { mode: 0o700 });
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(paths.socket, resolve));
    copyFileSync('/dev/null', `${paths.socket}.x`);
    renameSync(paths.socket, `${paths.socket}.kept`);
    await new Promise((resolve) => dead.close(resolve));
    renameSync(`${paths.socket}.kept`, paths.socket);
    const gateway = await startGateway({ home, headsLog });
    const status = statSync(paths.socket);
    expect(status.isSocket()).toBe(true);
    await gateway.stop('test');
    expect(existsSync(paths.socket)).toBe(false);
  });
});

describe('the ledger of a home', () => {
  it('is begun once: when it is gone the gateway does not start', async () => {
    const world = await start();
    await world.gateway.stop('test');
    const kept = `${world.paths.ledgerDb}.kept`;
    renameSync(world.paths.ledgerDb, kept);
    for (const end of ['-wal', '-shm']) rmSync(world.paths.ledgerDb + end, { force: true });
    await expect(startGateway({ home: world.paths.home, headsLog: world.headsLog })).rejects.toMatchObject({
      code: 'ledger_missing',
    });
    expect(existsSync(world.paths.ledgerDb)).toBe(false);
    renameSync(kept, world.paths.ledgerDb);
    await world.restart();
  });

  it('is not served by a gateway that does not know it', async () => {
    const world = await start();
    await world.gateway.stop('test');
    rmSync(world.paths.gatewayDb);
    await expect(startGateway({ home: world.paths.home, headsLog: world.headsLog })).rejects.toMatchObject({
      code: 'ledger_incomplete',
    });
  });

  it('is not replaced by that of another home', async () => {
    const [one, other] = [await start(), await start()];
    await one.gateway.stop('test');
    await other.gateway.stop('test');
    for (const end of ['-wal', '-shm']) rmSync(one.paths.ledgerDb + end, { force: true });
    copyFileSync(other.paths.ledgerDb, one.paths.ledgerDb);
    await expect(startGateway({ home: one.paths.home, headsLog: one.headsLog })).rejects.toMatchObject({
      code: expect.stringMatching(/^ledger_/),
    });
  });

  it('does not go on without its signing key', async () => {
    const world = await start();
    await world.gateway.stop('test');
    rmSync(world.paths.sealKey);
    await expect(startGateway({ home: world.paths.home, headsLog: world.headsLog })).rejects.toMatchObject({
      code: 'key_missing',
    });
    expect(existsSync(world.paths.sealKey)).toBe(false);
  });

  it('goes on where a first start was cut off before the ledger was remembered', async () => {
    const world = await start();
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.prepare('UPDATE identity SET fingerprint = NULL').run();
    db.close();
    await world.restart();
    expect((await (await world.operator()).request('gateway.status', {})).status).toBe('success');
  });
});

describe('config.toml', () => {
  it.each([
    ['a setting that does not exist', 'colour = "red"\n', 'config_invalid'],
    ['a value of the wrong type', '[runs]\nrequire_ticket = "yes"\n', 'config_invalid'],
    ['no toml', 'this is = = not toml', 'config_invalid'],
    ['a setting of a later version', '[[witness]]\nurl = "x"\n', 'not_available'],
    ['secret bindings that are none', '[secret_bindings]\nx = 1\n', 'config_invalid'],
    ['signed policies and no signer', '[policy]\naccept = "signed"\n', 'config_invalid'],
  ])('with %s stops the start', async (_name, text, code) => {
    const { home, headsLog } = temporaryHome();
    writeFileSync(join(home, 'config.toml'), text, { mode: 0o600 });
    await expect(startGateway({ home, headsLog })).rejects.toMatchObject({ code });
  });

  it('that cannot be read stops the start', async () => {
    const { home, headsLog } = temporaryHome();
    mkdirSync(join(home, 'config.toml'));
    await expect(startGateway({ home, headsLog })).rejects.toMatchObject({ code: 'config_invalid' });
  });

  it.runIf(process.platform === 'linux').each([
    ['a pipe', (path: string) => execFileSync('mkfifo', ['-m', '600', path])],
    ['a link', (path: string) => symlinkSync('/dev/null', path)],
  ])('that is %s stops the start, and does not hold it up', async (_name, make) => {
    const { home, headsLog } = temporaryHome();
    make(join(home, 'config.toml'));
    // A pipe that is opened for reading holds up the whole process: only another one can see that.
    const gateway = spawnSync(process.execPath, [GATEWAY, '--home', home, '--heads-log', headsLog], {
      timeout: 5000,
      encoding: 'utf8',
    });
    expect([gateway.signal, gateway.status, gateway.stderr.split(':')[0]]).toEqual([
      null,
      1,
      'config_invalid',
    ]);
  });

  it('is quoted on standard error without its control characters', () => {
    const { home, headsLog } = temporaryHome();
    writeFileSync(join(home, 'config.toml'), '"\\u001b[2J\\u202ex" = 1\n', { mode: 0o600 });
    const { stderr } = spawnSync(process.execPath, [GATEWAY, '--home', home, '--heads-log', headsLog], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('config_invalid');
    expect(stderr).toContain('\u{fffd}[2J\u{fffd}x');
    expect(stderr.trimEnd()).not.toMatch(/\p{C}/u);
  });

  it('that is missing or empty means the defaults', async () => {
    const world = await start({ config: '' });
    expect(dataOf(await (await world.operator()).request('gateway.status', {}))).toMatchObject({
      ledger: { durability: 'fsync' },
    });
  });
});

describe('the status', () => {
  it('tells pid, version, home, socket, runs, policy and the head of the ledger', async () => {
    const world = await start();
    await world.run();
    const status = dataOf(await (await world.operator()).request('gateway.status', {}));
    const last = world.rows().at(-1);
    expect(status).toMatchObject({
      pid: process.pid,
      version: '0.1.0',
      home: world.paths.home,
      socket: world.paths.socket,
      runs: { live: 1, attested: 1, open_calls: 0 },
      policy: { policy_id: 'builtin-observe', mode: 'observe', source: 'builtin', error: null },
      ledger: { seq: last?.seq, leaf: last?.leaf, memory: 'created', heads_log: world.headsLog },
    });
  });
});

describe('a stop', () => {
  it('that the operator asks for is answered, then everything is closed and the last entry says so', async () => {
    const world = await start();
    const operator = await world.operator();
    expect((await operator.request('gateway.stop', {})).status).toBe('success');
    await world.gateway.stopped;
    expect(existsSync(world.paths.socket)).toBe(false);
    const [stop, seal] = world.rows().slice(-2);
    expect(stop).toMatchObject({ type: 'gateway_stop', data: { reason: 'gateway.stop' } });
    expect(seal).toMatchObject({ type: 'seal', data: { n: 1, size: stop?.seq } });
    expect(await world.verify()).toBe('ok');
  });

  it('leaves no key and no token in the log', async () => {
    const world = await start();
    const run = await world.run();
    await run.client.request('run.read', {});
    await world.gateway.stop('test');
    const log = readFileSync(world.paths.gatewayLog, 'utf8');
    expect(log).toContain('gateway started');
    for (const secret of [run.credential.key, readCredential(world.paths.operatorKey).key])
      expect(log).not.toContain(secret);
  });
});

/** Asks or sets a pragma of a database that nobody has open. */
function pragma(path: string, text: string): unknown {
  const db = new SqliteDatabase(path);
  try {
    return db.pragma(text, { simple: true });
  } finally {
    db.close();
  }
}

it('a gateway that finds at the last step of its start that it cannot serve ends, and leaves no process behind', () => {
  const { home, headsLog } = temporaryHome();
  mkdirSync(join(home, 'run', 'gateway.sock'), { recursive: true, mode: 0o700 });
  const gateway = spawnSync(process.execPath, [GATEWAY, '--home', home, '--heads-log', headsLog], {
    timeout: 20_000,
    encoding: 'utf8',
  });
  expect([gateway.signal, gateway.status, gateway.stderr.split(':')[0]]).toEqual([null, 1, 'home_unsafe']);
});
