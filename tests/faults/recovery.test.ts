import SqliteDatabase from 'better-sqlite3';
import { closeSync, copyFileSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ERRNO, FaultControl, type FaultRule } from './kit/control.js';
import { buildFaultLibrary } from './kit/library.js';
import { broken, rowsOf } from './kit/oracle.js';
import { ShortRun } from './kit/short-run.js';
import { SmallDisk, whyNoMount } from './kit/small-disk.js';
import { FaultWorld, pause } from './kit/world.js';

const library = buildFaultLibrary();
const path = 'path' in library ? library.path : '';
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const noMount = whyNoMount();

// Each starts a process or two, and waits for a writer that tries again later and later.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let world: FaultWorld;
let control: FaultControl;

beforeEach(() => {
  control = new FaultControl();
});
afterEach(async () => {
  await world.remove();
  control.remove();
});

/** A gateway that has done a run without any fault, and another one that is open. */
async function serving(made: FaultWorld): Promise<ShortRun> {
  world = made;
  await world.listen();
  const env = path === '' ? {} : control.env(path, world.watched);
  expect(await world.start(env)).toBeUndefined();
  const before = new ShortRun(world, 'before');
  await before.finish();
  const run = new ShortRun(world, 'meanwhile');
  await run.once('open');
  return run;
}

/** The run goes on when the cause is gone, in the same process, and the oracle finds nothing. */
async function recovers(run: ShortRun): Promise<void> {
  const pid = world.gateway?.child.pid;
  await run.finish();
  expect(world.gateway?.child.pid).toBe(pid);
  expect(await world.stop()).toMatchObject({ code: 0 });
  expect(await broken(world, run.outcomes)).toEqual([]);
}

const everything = (action: Omit<FaultRule, 'ops' | 'path'>, where = '*'): FaultRule => ({
  ops: '*',
  path: where,
  ...action,
});

describe.skipIf(noMount !== undefined)(
  `a gateway whose disk is full${noMount === undefined ? '' : ` (not here: ${noMount})`}`,
  () => {
    it('refuses what it cannot record and serves again when there is room', async () => {
      const disk = await SmallDisk.mount('6m');
      try {
        world = new FaultWorld({ root: disk.root, inside: disk.inside });
        await world.listen();
        expect(await world.start()).toBeUndefined();
        const pid = world.gateway?.child.pid;
        const run = new ShortRun(world, 'meanwhile');
        await run.once('end 1');
        disk.fill();
        await run.once();
        expect(run.codes('begin 2')).toEqual(['audit_unavailable']);
        expect(run.codes('service')).toEqual(['audit_unavailable']);
        disk.free();
        await run.finish();
        expect(world.gateway?.child.pid).toBe(pid);
        expect(await world.stop()).toMatchObject({ code: 0 });
        const copy = join(control.folder, 'copy');
        disk.copyTo(copy);
        const effects = world.effects();
        const there = {
          paths: homePaths(join(copy, 'h')),
          headsLog: join(copy, 'state', 'heads.log'),
          effects: () => effects,
        };
        expect(await broken(there, run.outcomes)).toEqual([]);
      } finally {
        await world.remove();
        await disk.remove();
      }
    });
  },
);

describe.skipIf('missing' in library)(`a gateway serves again by itself${absent}`, () => {
  it.each([
    ['its file system was read-only', [everything({ action: 'fail', argument: ERRNO.EROFS })]],
    ['every sync failed', [{ ops: ['sync'], path: '*', action: 'fail', argument: ERRNO.EIO }]],
    [
      'every sync was done and reported as failed',
      [{ ops: ['sync'], path: '*', action: 'lie', argument: ERRNO.EIO }],
    ],
  ] as const)('after %s', async (_, rules) => {
    const run = await serving(new FaultWorld());
    control.set(rules);
    await run.once();
    expect(run.codes('begin 1')).toEqual(['audit_unavailable']);
    expect(run.codes('service')).not.toContain('success');
    control.clear();
    await recovers(run);
  });

  it.each([
    ['an operator', 'allow.add', async () => world.operator(), () => ({ host: 'late.example', port: 443 })],
    [
      'a run, which ends as ever',
      'service.api_call',
      async (run: ShortRun) => run.connection(),
      () => ({
        service: 'x',
        endpoint: `http://127.0.0.1:${world.port}/`,
        method: 'POST',
        body: 'effect:late-request-1',
      }),
    ],
  ] as const)(
    'and records what it could not record of the action of %s',
    async (_, action, connect, payload) => {
      const run = await serving(new FaultWorld());
      // The head of the last commit is signed by then: the next two commits are the action and its result.
      await pause(300);
      control.set([
        { ops: ['sync'], path: '*/ledger.db-wal', action: 'fail', argument: ERRNO.EIO, first: 2 },
      ]);
      const ask = async () => (await connect(run)).request(action, payload(), { id: 'late-request-1' });
      expect((await ask()).error?.code).toBe('in_doubt');
      control.clear();
      await run.finish();
      const results = rowsOf(world.paths.ledgerDb).filter(
        ({ type, data }) =>
          type === 'action_result' && JSON.stringify(data['req']) === '{"id":"late-request-1"}',
      );
      expect(results.map(({ code }) => code)).toEqual(['success']);
      const closing = rowsOf(world.paths.ledgerDb).filter(({ type }) => type === 'run_end');
      expect(closing.map(({ code }) => code)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
      await recovers(run);
    },
  );

  it('and is stopped in that moment: it says so in its ledger, signed and sealed', async () => {
    const run = await serving(new FaultWorld());
    // The writer waits longer after each failure: a stop that gives up at once leaves no end in the ledger.
    control.set([{ ops: ['sync'], path: '*', action: 'fail', argument: ERRNO.EIO, first: 1, last: 4 }]);
    await run.once('begin 1');
    expect(run.codes('begin 1')).toEqual(['audit_unavailable']);
    expect(await world.stop()).toMatchObject({ code: 0 });
    expect(await broken(world, run.outcomes)).toEqual([]);
    expect(rowsOf(world.paths.ledgerDb).map(({ type }) => type)).toContain('gateway_stop');
  });

  it('answers a resend with the result that it recorded late', async () => {
    const run = await serving(new FaultWorld());
    await pause(300);
    control.set([{ ops: ['sync'], path: '*/ledger.db-wal', action: 'fail', argument: ERRNO.EIO, first: 2 }]);
    const ask = async () =>
      (await world.operator()).request(
        'allow.add',
        { host: 'late.example', port: 443 },
        { id: 'late-request-1' },
      );
    expect((await ask()).error?.code).toBe('in_doubt');
    control.clear();
    await run.finish();
    world.disconnect();
    expect((await ask()).error?.code).toBe('replayed');
    await recovers(run);
  });

  it('after heads.log could not be written: what it could not remember is followed by nothing', async () => {
    const run = await serving(new FaultWorld());
    control.set([everything({ action: 'fail', argument: ERRNO.EACCES }, '*/state*')]);
    const ended = new ShortRun(world, 'ended');
    await ended.once();
    expect(ended.codes('close')).not.toContain('no answer');
    await run.once();
    expect(run.codes('begin 1')).toEqual(['audit_unavailable']);
    control.clear();
    await ended.finish();
    await recovers(run);
  });

  it('at its next start, after the keys of its seals could not be handed over', async () => {
    const run = await serving(new FaultWorld());
    control.set([everything({ action: 'fail', argument: ERRNO.EACCES }, '*/keys/seal*')]);
    await run.once('end 2');
    expect(run.codes('begin 2')).toEqual(['success']);
    expect(await world.stop()).toMatchObject({ code: 1 });
    control.clear();
    expect(await world.start()).toBeUndefined();
    await recovers(run);
  });

  it('after gateway.db was full', async () => {
    const run = await serving(new FaultWorld());
    control.set([everything({ action: 'fail', argument: ERRNO.ENOSPC }, '*/gateway.db*')]);
    const opened = new ShortRun(world, 'opened');
    await opened.once();
    expect(opened.codes('open')).not.toContain('success');
    control.clear();
    await opened.finish();
    await recovers(run);
  });

  it('whatever its clock says, a year later or a year earlier', async () => {
    const run = await serving(new FaultWorld());
    const year = 365 * 86_400_000;
    for (const [at, clockMs] of [year, -year, 0].entries()) {
      control.set([], clockMs);
      const other = new ShortRun(world, `clock-${at}`);
      await other.finish();
      expect(other.outcomes.filter(({ code }) => code !== 'success')).toEqual([]);
    }
    await recovers(run);
  });

  it('and loses only log lines while the disk of its log is full', async () => {
    const run = await serving(new FaultWorld({ config: '[log]\nlevel = "debug"\n' }));
    control.set([everything({ action: 'fail', argument: ERRNO.ENOSPC }, '*/logs/*')]);
    await run.once();
    expect(run.outcomes.filter(({ code }) => code !== 'success')).toEqual([]);
    control.clear();
    await recovers(run);
  });
});

describe('a gateway whose ledger somebody else touches', () => {
  it('refuses while it is locked, and serves again when it is not', async () => {
    const run = await serving(new FaultWorld());
    const other = new SqliteDatabase(world.paths.ledgerDb);
    other.exec('BEGIN IMMEDIATE');
    await run.once('begin 1');
    expect(run.codes('begin 1')).toEqual(['audit_unavailable']);
    other.exec('ROLLBACK');
    other.close();
    await recovers(run);
  });

  it.each([
    ['its write-ahead log was deleted', () => rmSync(`${world.paths.ledgerDb}-wal`)],
    [
      'it was replaced by a copy of itself',
      () => {
        const { ledgerDb } = world.paths;
        renameSync(ledgerDb, `${ledgerDb}.away`);
        copyFileSync(`${ledgerDb}.away`, ledgerDb);
      },
      () => {
        const { ledgerDb } = world.paths;
        renameSync(`${ledgerDb}.away`, ledgerDb);
      },
    ],
  ] as const)(
    'takes nothing more after %s, and the next start finds everything',
    async (_, cause, repair?) => {
      const run = await serving(new FaultWorld());
      cause();
      await run.once();
      expect(run.codes('begin 1')).toEqual(['audit_unavailable']);
      expect(run.codes('service')).toEqual(['audit_unavailable']);
      expect(world.effects().calls.filter((id) => id.includes('meanwhile'))).toEqual([]);
      expect(await world.stop()).toMatchObject({ code: 1 });
      repair?.();
      expect(await world.start()).toBeUndefined();
      await recovers(run);
    },
  );

  it('takes nothing more after its pages were overwritten, and says so at its next start', async () => {
    const run = await serving(new FaultWorld());
    const { ledgerDb } = world.paths;
    // Of the file that the gateway has open, everything behind the first page.
    const file = openSync(ledgerDb, 'r+');
    writeSync(file, Buffer.alloc(statSync(ledgerDb).size - 4096, 0xff), 0, undefined, 4096);
    closeSync(file);
    await run.once();
    await world.stop();
    expect(await world.start()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ledger_corrupt: /),
    });
  });
});
