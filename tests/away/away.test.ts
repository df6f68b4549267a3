import { existsSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@subluminal/core-types';
import { connectGateway, homePaths, readCredential } from '@subluminal/ipc';
import { openLedgerReader, type EntryType, type LedgerRow } from '@subluminal/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { eventually, processesWith } from '../harness/processes.js';
import { openRawSession, type Answer, type RawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { shimCommand } from '../harness/sub.js';
import { POLICY } from './peer.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

let home: TestHome;
let sessions: RawSession[];

beforeEach(async () => {
  sessions = [];
  home = createHome({ config: 'autostart = false\n', policy: POLICY });
  writeFileSync(reachedPath(), '');
  await up();
});
afterEach(async () => {
  for (const { child } of sessions) child.kill('SIGTERM');
  await home.remove();
});

const reachedPath = (): string => join(home.root, 'reached.log');
/** The names of the tools that were called, as the server saw them. */
const reached = (): string[] =>
  readFileSync(reachedPath(), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ')[0] ?? '');

async function up(): Promise<void> {
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
}

async function shim(name = 'echo'): Promise<RawSession> {
  const argv = shimCommand(home.home, name, [process.execPath, echo], ['ECHO_LOG']);
  const session = await openRawSession(argv, { ...process.env, ECHO_LOG: reachedPath() });
  sessions.push(session);
  return session;
}

const call = (session: RawSession, name: string, args: object = { path: '/tmp/a' }): Promise<Answer> =>
  session.request('tools/call', { name, arguments: args });

/** How a call that was refused because no gateway answered is told of. */
const AWAY = { error: { data: { subluminal: { reason_code: 'GATEWAY_UNREACHABLE' } } } };

function rows(type: EntryType): LedgerRow[] {
  const reader = openLedgerReader(home.ledger);
  try {
    return [...reader.byType(type, { order: 'asc', limit: 1000 }).rows];
  } finally {
    reader.close();
  }
}

const testimonies = (): LedgerRow[] =>
  rows('tool_call_decision').filter(({ data }) => data['testimony'] !== undefined);

const spools = (): string[] => {
  const folder = join(home.home, 'run', 'away');
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];
};

/** The snapshot has arrived and its engine is loaded: the first call needs neither. */
async function ready(session: RawSession): Promise<void> {
  expect((await call(session, 'list')).error).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 300));
}

async function verified(): Promise<void> {
  const verdict = await runSub(['audit', 'verify', '--home', home.home]);
  expect(verdict.stdout + verdict.stderr).not.toMatch(/contradict|class/);
  expect(verdict.code).toBe(0);
}

describe('while no gateway answers', () => {
  it('reads go on as far as their limits reach, nothing else does, and all of it is in the ledger afterwards', async () => {
    const session = await shim();
    await ready(session);
    expect((await call(session, 'read_file')).error).toBeUndefined();
    await stopGateway(home.home, 'SIGKILL');

    for (let n = 0; n < 4; n += 1) {
      const answer = await call(session, 'read_file', { n });
      expect(answer.error).toBeUndefined();
    }
    expect(await call(session, 'read_file')).toMatchObject(AWAY);
    const refused: [string, object][] = [
      ['write_file', {}],
      ['read_and_send', {}],
      ['list', {}],
      ['read_file', { path: '/etc/shadow' }],
    ];
    for (const [name, args] of refused) expect(await call(session, name, args)).toMatchObject(AWAY);
    expect(await session.request('resources/read', { uri: 'file:///tmp/a' })).toMatchObject(AWAY);
    expect(reached()).toEqual(['list', 'read_file', 'read_file', 'read_file', 'read_file', 'read_file']);

    const [spool = ''] = spools();
    expect(readFileSync(spool, 'utf8').split('\n')).toHaveLength(1 + 4 + 4 + 1);
    await up();
    await eventually('the spool is taken in', () => spools().length === 0);
    expect(testimonies()).toHaveLength(4);
    expect(rows('spool_ingested')).toMatchObject([
      { code: 'success', data: { calls: 4, open: 0, from: 'shim' } },
    ]);
    expect(await call(session, 'read_file')).toMatchObject({
      error: { data: { subluminal: { reason_code: 'BUDGET_EXCEEDED' } } },
    });
    expect((await call(session, 'write_file')).error).toBeUndefined();
    await verified();
  });

  it('a run without such a policy makes no call, and loads nothing for one', async () => {
    writeFileSync(join(home.home, 'policy.yaml'), POLICY.replace('tools: true', 'tools: false'), {
      mode: 0o600,
    });
    expect(await runSub(['policy', 'reload', '--home', home.home])).toMatchObject({ code: 0 });
    const session = await shim();
    await ready(session);
    await stopGateway(home.home, 'SIGKILL');
    expect(await call(session, 'read_file')).toMatchObject(AWAY);
    expect(spools()).toEqual([]);
  });

  it('arguments that nobody inspected are no read', async () => {
    const session = await shim();
    await ready(session);
    await stopGateway(home.home, 'SIGKILL');
    expect(await call(session, 'read_file', { path: 'x'.repeat(1_100_000) })).toMatchObject(AWAY);
    expect((await call(session, 'read_file')).error).toBeUndefined();
  });

  it('two shims of one run make no more reads together than were left', async () => {
    const [one, two] = [await shim('one'), await shim('two')];
    await ready(one);
    await ready(two);
    await stopGateway(home.home, 'SIGKILL');
    const answers = [];
    for (let n = 0; n < 5; n += 1)
      answers.push(await call(one, 'read_file', { n }), await call(two, 'read_file', { n }));
    const made = answers.filter(({ error }) => error === undefined).length;
    expect(made).toBe(4);
    expect(spools()).toHaveLength(2);
    await up();
    await eventually('both spools are taken in', () => spools().length === 0);
    expect(testimonies()).toHaveLength(4);
    expect((await call(one, 'read_file')).error).toBeUndefined();
    expect((await call(two, 'read_file')).error).toBeDefined();
    await verified();
  });

  it('a shim that is killed leaves what it did to the next gateway, also where a call had not ended', async () => {
    const session = await shim();
    const other = await shim('other');
    await ready(session);
    await ready(other);
    await stopGateway(home.home, 'SIGKILL');
    expect((await call(session, 'read_file')).error).toBeUndefined();
    session.child.kill('SIGKILL');
    await eventually(
      'the shim is gone',
      () => session.child.exitCode !== null || session.child.signalCode !== null,
    );
    expect(spools()).toHaveLength(1);
    await up();
    await eventually('the spool is taken in', () => spools().length === 0);
    expect(rows('spool_ingested')).toMatchObject([{ code: 'success', data: { calls: 1, from: 'folder' } }]);
    const left = [];
    for (let n = 0; n < 5; n += 1) left.push((await call(other, 'read_file')).error === undefined);
    expect(left).toEqual([true, true, true, true, false]);
    await verified();
  });

  it.each(['cut short', 'removed'])(
    'a spool that was %s on the disk is handed over whole by a shim that lives',
    async (how) => {
      const session = await shim();
      await ready(session);
      await stopGateway(home.home, 'SIGKILL');
      for (let n = 0; n < 3; n += 1) await call(session, 'read_file', { n });
      const [path = ''] = spools();
      if (how === 'removed') unlinkSync(path);
      else truncateSync(path, readFileSync(path, 'utf8').indexOf('\n') + 1);
      await up();
      await eventually('the spool is taken in', () => rows('spool_ingested').length === 1);
      expect(testimonies()).toHaveLength(3);
      await verified();
    },
  );

  it('a gateway that is back decides, and the snapshot of the one before is void', async () => {
    const session = await shim();
    await ready(session);
    await stopGateway(home.home, 'SIGKILL');
    await up();
    expect((await call(session, 'read_file')).error).toBeUndefined();
    expect(spools()).toEqual([]);
    expect(testimonies()).toEqual([]);
  });

  it('a run that was ended is over: nothing of it is called', async () => {
    const session = await shim();
    await ready(session);
    const [started] = rows('run_start');
    const paths = homePaths(home.home);
    const credential = readCredential(paths.operatorKey);
    const operator = await connectGateway({ socketPath: paths.socket, credential, clock: Date.now });
    const ended = { run_id: started?.runId, status: 'TERMINATED' };
    expect(await operator.request('run.end', ended)).toMatchObject({ status: 'success' });
    operator.close();
    await stopGateway(home.home, 'SIGKILL');
    const answer = await call(session, 'read_file').catch((error: unknown) => error);
    expect(answer).not.toHaveProperty('result');
    expect(reached()).toEqual(['list']);
  });

  it.each([0, 1, 3, 8, 20])(
    'a limit holds over both, though the gateway is killed %i ms into a burst of calls',
    async (ms) => {
      const session = await shim();
      await ready(session);
      const burst = Array.from({ length: 4 }, (_, n) => call(session, 'read_file', { n }));
      await new Promise((resolve) => setTimeout(resolve, ms));
      await stopGateway(home.home, 'SIGKILL');
      await Promise.all(burst);
      for (let n = 10; n < 18; n += 1) await call(session, 'read_file', { n });
      await up();
      await eventually('what was done is taken in', () => spools().length === 0);
      for (let n = 20; n < 28; n += 1) await call(session, 'read_file', { n });
      // Fewer where a call was charged, and the gateway was gone before its answer was there.
      const reads = reached().filter((name) => name === 'read_file').length;
      expect(reads).toBeGreaterThan(0);
      expect(reads).toBeLessThanOrEqual(5);
      await verified();
    },
  );

  it('nothing of a snapshot stands on the disk', async () => {
    const session = await shim();
    await ready(session);
    expect(spools()).toEqual([]);
    await stopGateway(home.home, 'SIGKILL');
    await call(session, 'read_file');
    const [path = ''] = spools();
    await eventually('its end is written', () => readFileSync(path, 'utf8').includes('"kind":"end"'));
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('five-reads');
    expect(text).not.toContain('"state"');
    const bodies = text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { body: JsonObject }).body);
    expect(bodies.map(({ kind }) => kind)).toEqual(['head', 'begin', 'end']);
  });
});

describe('a gateway that hangs', () => {
  it('is as good as gone, and told what was done when it goes on', async () => {
    const session = await shim();
    await ready(session);
    const gateways = processesWith(home.home).filter(({ command }) => /gateway\S*\.js/.test(command));
    for (const { pid } of gateways) process.kill(pid, 'SIGSTOP');
    try {
      const answer = await call(session, 'read_file');
      expect(answer.error).toBeUndefined();
      expect(spools()).toHaveLength(1);
    } finally {
      for (const { pid } of gateways) process.kill(pid, 'SIGCONT');
    }
    await eventually('the spool is taken in', () => spools().length === 0, 20_000);
    expect(testimonies()).toHaveLength(1);
  }, 120_000);
});

describe('where a shim may start a gateway', () => {
  it('the next call starts one, and what was done meanwhile is the first thing that it hears', async () => {
    writeFileSync(join(home.home, 'config.toml'), `heads_log = ${JSON.stringify(home.headsLog)}\n`, {
      mode: 0o600,
    });
    const session = await shim();
    await ready(session);
    const gateways = processesWith(home.home).filter(({ command }) => /gateway\S*\.js/.test(command));
    for (const { pid } of gateways) process.kill(pid, 'SIGSTOP');
    const under = call(session, 'read_file', { n: 1 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const { pid } of gateways) process.kill(pid, 'SIGKILL');
    expect((await under).error).toBeUndefined();
    expect(spools()).toHaveLength(1);
    expect((await call(session, 'write_file')).error).toBeUndefined();
    expect(spools()).toEqual([]);
    const order = rows('tool_call_decision').map(({ tool }) => (Array.isArray(tool) ? tool[1] : ''));
    expect(order.slice(-2)).toEqual(['read_file', 'write_file']);
    expect(testimonies()).toHaveLength(1);
    await verified();
  });
});
