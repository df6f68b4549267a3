import SqliteDatabase, { type Database } from 'better-sqlite3';
import { type JsonObject, textAt } from '@subluminal/core-types';
import type { AppendGroup, AppendResult, EntryInput } from '@subluminal/ledger';
import { isHeldOut } from '@subluminal/plane';
import { expect, it } from 'vitest';
import { Plane } from './plane.js';

const QUIET = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** A database with the plane's table, as the core makes it. */
function memoryDb(): Database {
  const db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE plane(key TEXT PRIMARY KEY, kept TEXT NOT NULL, used_ms INTEGER NOT NULL)');
  return db;
}

interface Followed {
  readonly plane: Plane;
  readonly groups: AppendGroup[];
  readonly clock: { now: number };
}

function planeOn(db: Database, mode: 'observe' | 'steer' = 'observe'): Followed {
  const groups: AppendGroup[] = [];
  const clock = { now: 1_700_000_000_000 };
  const plane = new Plane({
    db,
    recorder: {
      append: (group): Promise<AppendResult> => {
        groups.push(group);
        return Promise.resolve({ ok: true, entries: [] });
      },
    },
    openReader: () => {
      throw new Error('nothing is to be read again');
    },
    settings: () => ({ low: mode, ordinary: mode, protected: mode, directors: [] }),
    gateEffect: () => 'no_rule',
    folderOf: () => '/srv/app',
    namedAgentOf: () => undefined,
    isAlive: () => true,
    ledgerId: 'ledger',
    clock: () => clock.now,
    monotonic: () => 0,
    log: QUIET,
  });
  return { plane, groups, clock };
}

/** The entries of one call, from its start to its end. */
function callOf(at: number, session: string, run: string, ts: number): readonly EntryInput[] {
  const command = at % 24 < 12 ? `cat src/m${at % 7}/f${at}.ts` : `sed -i s/a/b/ src/m${at % 7}/f${at}.ts`;
  const call = { call_id: `c-${at}`, via: 'claude_hook', context: { session, tool_use_id: `t${at}` } };
  const tool = ['claude:builtin', 'Bash'] as const;
  return [
    {
      type: 'tool_call_start',
      ts,
      runId: run,
      tool,
      data: { call },
      blobs: { 'call.preview.args_preview': JSON.stringify({ command }) },
    },
    {
      type: 'tool_call_decision',
      ts,
      runId: run,
      tool,
      code: 'ALLOW',
      data: { call: { call_id: `c-${at}` } },
    },
    { type: 'tool_call_end', ts, runId: run, tool, code: 'OK', data: { call: { call_id: `c-${at}` } } },
  ];
}

it('the plane keeps its bounds over 100,000 entries of 6,000 sessions', { timeout: 120_000 }, async () => {
  const db = memoryDb();
  const { clock, groups, plane } = planeOn(db);
  plane.begin(0);
  let seq = 0;
  for (let at = 0; at < 33_400; at += 1) {
    clock.now += 5000;
    const session = `s-${at % 5 === 0 ? at % 6000 : at % 40}`;
    for (const entry of callOf(at, session, `run-${at % 3000}`, clock.now)) {
      seq += 1;
      plane.take([{ seq, entry }]);
    }
    if (at % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (at % 5000 === 0) plane.keep();
    groups.splice(0, Math.max(0, groups.length - 1000));
  }
  plane.stop();
  expect(seq).toBeGreaterThan(100_000);
  expect(plane.status()).toMatchObject({ failed: 0 });
  const rows = db.prepare<[], { key: string; kept: string }>('SELECT key, kept FROM plane').all();
  expect(rows.length).toBeLessThanOrEqual(4096);
  const states = rows.filter(({ key }) => key.length === 64);
  expect(states.length).toBeGreaterThan(500);
  expect(Math.max(...states.map(({ kept }) => kept.length))).toBeLessThan(8192);
  expect(groups.length).toBeGreaterThan(100);
});

it('what comes faster than it is followed is counted, and dropped', () => {
  const { plane } = planeOn(memoryDb());
  plane.begin(0);
  for (let at = 0; at < 2000; at += 1)
    plane.take(callOf(at, 's', 'run', 0).map((entry, index) => ({ seq: at * 3 + index + 1, entry })));
  expect(plane.status()).toMatchObject({ lost: 6000 - 4096, follows: true });
});

it('rows that are none are passed over', async () => {
  const db = memoryDb();
  const put = db.prepare('INSERT INTO plane VALUES(?, ?, 0)');
  put.run('mark', '{"seq":"far"}');
  put.run('baselines', 'no JSON');
  const { plane } = planeOn(db);
  plane.begin(0);
  plane.take(callOf(1, 's', 'run', 0).map((entry, index) => ({ seq: index + 1, entry })));
  await new Promise((resolve) => setImmediate(resolve));
  expect(plane.status()).toMatchObject({ failed: 0, agents: [{ session: 's' }] });
  expect(plane.learnt()).toEqual([]);
});

/** The data of every entry that the plane has written. */
function written(groups: readonly AppendGroup[]): readonly JsonObject[] {
  return groups.flatMap(({ entries }) =>
    entries.flatMap(({ data, type }) => (type.startsWith('plane.') ? [data] : [])),
  );
}

it('names of any length are followed, and two long ones that begin alike are two', async () => {
  const { clock, groups, plane } = planeOn(memoryDb());
  plane.begin(0);
  const names = [`${'n'.repeat(700)}-one`, `${'n'.repeat(700)}-two`, '😀'.repeat(300)];
  let seq = 0;
  for (let at = 0; at < 48; at += 1) {
    clock.now += 20_000;
    for (const [index, name] of names.entries())
      for (const entry of callOf(at, name, `run-${index}`, clock.now))
        plane.take([{ seq: (seq += 1), entry }]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  plane.stop();
  expect(plane.status()).toMatchObject({ failed: 0 });
  const sessions = new Set(written(groups).map((data) => textAt(data, 'of', 'session')));
  expect(sessions.size).toBe(3);
  for (const session of sessions) expect(session.length).toBeLessThanOrEqual(256);
});

/** A session that is steered, whose text for it waits, and then 600 others, in no time. */
async function crowdedOut(): Promise<Followed & { readonly take: (at: number, session: string) => void }> {
  const followed = planeOn(memoryDb(), 'steer');
  const { clock, plane } = followed;
  plane.begin(0);
  let seq = 0;
  const take = (at: number, session: string): void => {
    for (const entry of callOf(at, session, `run-${session}`, clock.now))
      plane.take([{ seq: (seq += 1), entry }]);
  };
  for (let at = 0; at < 24; at += 1) {
    clock.now += 10_000;
    take(at, STEERED);
  }
  for (let at = 0; at < 600; at += 1) {
    take(at, `other-${at}`);
    if (at % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return { ...followed, take };
}

const STEERED =
  ['s-1', 's-2', 's-3', 's-4', 's-5', 's-6', 's-7'].find(
    (session) => !isHeldOut({ client: 'claude_hook', session, repository: '', agent: '' }, 5, 'ledger'),
  ) ?? '';

/** Texts for the steered session that nobody took. */
function lateOnes(groups: readonly AppendGroup[]): readonly JsonObject[] {
  return written(groups).filter(
    (data) => data['reason'] === 'late' && textAt(data, 'of', 'session') === STEERED,
  );
}

it('a text that waits for an agent which makes room is skipped, and the record says so', async () => {
  const { groups, plane } = await crowdedOut();
  expect(lateOnes(groups)).toEqual([]);
  plane.keep();
  expect(lateOnes(groups)).toMatchObject([{ what: 'steer' }]);
});

it('an agent that made room and is back in time gets the text that waited for it', async () => {
  const { groups, plane, take } = await crowdedOut();
  take(100, STEERED);
  const given = plane.context(`run-${STEERED}`, {
    via: 'claude_hook',
    session_id: STEERED,
    tool_use_id: 't100',
    status: 'OK',
  });
  expect(given?.text).toContain('calls');
  plane.keep();
  expect(lateOnes(groups)).toEqual([]);
});
