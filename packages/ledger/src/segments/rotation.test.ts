import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  attack,
  beginCall,
  endCall,
  fillRun,
  runEnd,
  Scratch,
  SIGNING_KEY,
  withoutTriggers,
} from '../../testing/scratch.js';
import { openReadOnly, openWriter } from '../schema/connection.js';
import { openStore, type OpenStoreOptions } from '../store/open-store.js';

let scratch: Scratch;

beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

const segments = (): string[] => readdirSync(join(scratch.folder, 'segments')).toSorted();

function bodies(path: string): { seq: number; body: string }[] {
  const db = openReadOnly(path);
  try {
    return db.prepare<[], { seq: number; body: string }>('SELECT seq, body FROM entry ORDER BY seq').all();
  } finally {
    db.close();
  }
}

it('goes on in another file as soon as one is full, with a seal at its end', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 400);
  await ledger.append({ entries: [runEnd('run-a')] });
  await ledger.close();
  expect(segments()).toEqual(['1-1-1027.db']);
  const closed = bodies(join(scratch.folder, 'segments', '1-1-1027.db'));
  expect(closed.at(-2)?.body).toContain('"data":{"segment":1},"ref":null');
  expect(closed.at(-2)?.body).toContain('"type":"segment_closed"');
  expect(closed.at(-1)?.body).toContain('"type":"seal"');
  const open = bodies(scratch.path);
  expect(open[0]).toMatchObject({ seq: 1028 });
  expect(open[0]?.body).toContain('"type":"segment_opened"');
  expect(statSync(scratch.path).mode & 0o777).toBe(0o600);
  expect(existsSync(`${scratch.path}.next`)).toBe(false);
});

it('opens again and again, and every start that finds a full file rotates it', async () => {
  for (let start = 0; start < 4; start += 1) {
    const ledger = await scratch.open({ segmentBytes: 1 });
    await fillRun(ledger, `run-${start}`, 2);
    await ledger.close();
  }
  expect(segments().map((name) => name.split('-')[0])).toEqual(['1', '2', '3']);
});

it('stays in its file while somebody reads it, and goes on', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  const reader = openReadOnly(scratch.path);
  reader.prepare('SELECT count(*) FROM entry').get();
  await fillRun(ledger, 'run-a', 400);
  expect(existsSync(join(scratch.folder, 'segments'))).toBe(false);
  reader.close();
  await fillRun(ledger, 'run-b', 400);
  expect(segments().length).toBeGreaterThan(0);
  await ledger.close();
});

it('asks again a little later whether somebody still reads it', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  const reader = openReadOnly(scratch.path);
  reader.prepare('SELECT count(*) FROM entry').get();
  await fillRun(ledger, 'run-a', 400);
  reader.close();
  const wrote = async (): Promise<readonly string[]> => {
    await ledger.append(beginCall('run-a', `late-${scratch.nowMs}`));
    return existsSync(join(scratch.folder, 'segments')) ? segments() : [];
  };
  await expect.poll(wrote, { interval: 50, timeout: 5000 }).toHaveLength(1);
  await ledger.close();
  expect(await scratch.verify()).toMatchObject({ verdict: 'ok' });
});

it('takes the end of a call that began in the file before', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  const begun = await ledger.append(beginCall('run-a', 'call-1'));
  await fillRun(ledger, 'run-b', 400);
  expect(segments()).toHaveLength(1);
  const seq = begun.ok ? (begun.entries[1]?.seq ?? 0) : 0;
  expect(await ledger.append({ entries: [endCall('run-a', 'call-1', seq)] })).toMatchObject({ ok: true });
  expect(await ledger.append({ entries: [endCall('run-a', 'call-1', seq)] })).toMatchObject({
    ok: false,
    conflict: 'ref',
  });
  await ledger.close();
});

it('knows request ids of the file before, of a run and of its own', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  const entries = [{ type: 'gateway_start' as const, ts: 1, runId: null, data: { pid: 1 } }];
  await ledger.append({ entries, seen: { runId: null, id: 'own-1' } });
  await ledger.append(beginCall('run-a', 'call-1'));
  await fillRun(ledger, 'run-b', 400);
  expect(segments()).toHaveLength(1);
  expect(await ledger.append(beginCall('run-a', 'call-1'))).toEqual({ ok: false, conflict: 'seen', seq: 3 });
  expect(await ledger.append({ entries, seen: { runId: null, id: 'own-1' } })).toEqual({
    ok: false,
    conflict: 'seen',
    seq: 1,
  });
  expect(await ledger.append(beginCall('run-a', 'call-2'))).toMatchObject({ ok: true });
  await ledger.close();
});

it('adds nothing to a run that ended in the file before', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 1);
  await ledger.append({ entries: [runEnd('run-a')] });
  await fillRun(ledger, 'run-b', 400);
  expect(segments()).toHaveLength(1);
  await expect(ledger.append(beginCall('run-a', 'call-9'))).rejects.toMatchObject({ code: 'run_ended' });
  await fillRun(ledger, 'run-c', 1);
  await ledger.close();
});

it('adds nothing to one that ended with a call in it, whose name goes on for that', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  const begun = await ledger.append(beginCall('run-a', 'call-1'));
  await ledger.append({ entries: [runEnd('run-a')] });
  await fillRun(ledger, 'run-b', 400);
  expect(segments()).toHaveLength(1);
  const seq = begun.ok ? (begun.entries[1]?.seq ?? 0) : 0;
  await expect(ledger.append({ entries: [endCall('run-a', 'call-1', seq)] })).rejects.toMatchObject({
    code: 'run_ended',
  });
  await ledger.close();
});

it('goes on with the chains of runs and of its own', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 1);
  await fillRun(ledger, 'run-b', 400);
  await ledger.append({ entries: [runEnd('run-a')] });
  await ledger.close();
  const end = bodies(scratch.path).find(({ body }) => body.includes('"type":"run_end"'));
  expect(end?.body).toContain('"ri":4,');
});

/** Writes until the file is full, and ends it without a successor, as a crash right then does. */
async function endFile(): Promise<void> {
  const ledger = await scratch.open();
  await fillRun(ledger, 'run-a', 5);
  await ledger.close();
  const { store } = openStore(options(undefined));
  expect(store.endFile(scratch.nowMs)).toBe(true);
  store.close();
}

function options(segmentBytes: number | undefined): OpenStoreOptions {
  return {
    path: scratch.path,
    privateKey: SIGNING_KEY,
    sealKeyPath: scratch.sealKey,
    headsLog: scratch.headsLog,
    durability: 'fsync',
    segmentBytes,
    nowMs: scratch.nowMs,
    openDatabase: openWriter,
  };
}

/** Opens the ledger and writes to it: what is there then. */
async function goOn(): Promise<unknown> {
  const ledger = await scratch.open();
  await fillRun(ledger, 'run-b', 1);
  await ledger.close();
  const left = readdirSync(scratch.folder).filter((name) => name.startsWith('ledger.db'));
  return { closed: segments(), left, first: bodies(scratch.path)[0]?.seq };
}

const ROTATED = { closed: ['1-1-19.db'], left: ['ledger.db'], first: 20 };

it('ends what a crash left before there was a draft', async () => {
  await endFile();
  expect(await goOn()).toEqual(ROTATED);
});

it('throws away the draft of a rotation that was cut off', async () => {
  await endFile();
  writeFileSync(`${scratch.path}.next`, 'half of a draft');
  writeFileSync(`${scratch.path}.next-journal`, 'and its journal');
  expect(await goOn()).toEqual(ROTATED);
});

it('goes on where the file had its name among the closed ones already', async () => {
  await endFile();
  mkdirSync(join(scratch.folder, 'segments'));
  linkSync(scratch.path, join(scratch.folder, 'segments', '1-1-19.db'));
  expect(await goOn()).toEqual(ROTATED);
});

it('replaces nothing that stands where the file would be closed', async () => {
  await endFile();
  mkdirSync(join(scratch.folder, 'segments'));
  const taken = join(scratch.folder, 'segments', '1-1-19.db');
  writeFileSync(taken, 'somebody else');
  await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_unsafe' });
  expect(bodies(scratch.path)).toHaveLength(19);
  renameSync(taken, join(scratch.folder, 'elsewhere'));
  expect(await goOn()).toEqual(ROTATED);
});

it('refuses while its closed name is taken, and goes on by itself once it is free', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  const taken = Array.from({ length: 1200 }, (_, at) => join(scratch.folder, 'segments', `1-1-${at + 1}.db`));
  mkdirSync(join(scratch.folder, 'segments'));
  for (const path of taken) writeFileSync(path, 'somebody else');
  await expect(fillRun(ledger, 'run-a', 400)).rejects.toMatchObject({ code: 'audit_unavailable' });
  const size = bodies(scratch.path).length;
  for (const path of taken) rmSync(path);
  await expect
    .poll(
      () =>
        fillRun(ledger, 'run-b', 1).then(
          () => 'recorded',
          () => 'refused',
        ),
      { timeout: 10_000 },
    )
    .toBe('recorded');
  await ledger.close();
  expect(segments()).toEqual([`1-1-${size}.db`]);
  expect(await scratch.verify()).toMatchObject({ verdict: 'ok' });
});

it('refuses while the file before is away as it opens anew, and goes on by itself once it is back', async () => {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 400);
  const [before = ''] = segments();
  const [there, elsewhere] = [join(scratch.folder, 'segments', before), join(scratch.folder, before)];
  const first = Number(before.split(/[-.]/)[2]) + 1;
  const taken = Array.from({ length: 1200 }, (_, at) =>
    join(scratch.folder, 'segments', `2-${first}-${first + at}.db`),
  );
  for (const path of taken) writeFileSync(path, 'somebody else');
  await expect(fillRun(ledger, 'run-b', 400)).rejects.toMatchObject({ code: 'audit_unavailable' });
  renameSync(there, elsewhere);
  for (const path of taken) rmSync(path);
  const outcome = () =>
    fillRun(ledger, 'run-c', 1).then(
      () => 'recorded',
      (error: unknown) => String(Reflect.get(Object(error), 'cause')),
    );
  await expect.poll(outcome, { timeout: 10_000 }).toContain('is not in its place');
  renameSync(elsewhere, there);
  await expect.poll(outcome, { timeout: 10_000 }).toBe('recorded');
  await ledger.close();
  expect(await scratch.verify()).toMatchObject({ verdict: 'ok' });
});

it('waits for whoever reads a file that has ended', async () => {
  await endFile();
  const reader = openReadOnly(scratch.path);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM entry').get();
  await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_unsafe' });
  reader.close();
  expect(await goOn()).toEqual(ROTATED);
});

async function fillTwoFiles(): Promise<string> {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 400);
  await ledger.close();
  return join(scratch.folder, 'segments', segments()[0] ?? '');
}

it('does not go on without the file before, and does with it', async () => {
  const closed = await fillTwoFiles();
  renameSync(closed, join(scratch.folder, 'elsewhere.db'));
  await expect(scratch.open()).rejects.toMatchObject({
    code: 'ledger_incomplete',
    message: expect.stringContaining('`1-1-1027.db`'),
  });
  renameSync(join(scratch.folder, 'elsewhere.db'), closed);
  await (await scratch.open()).close();
});

it('does not go on behind another file under the name of the one before', async () => {
  const closed = await fillTwoFiles();
  const other = await new Scratch().fill();
  copyFileSync(other.path, closed);
  other.remove();
  await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_corrupt' });
});

it.each([
  ['a carried chain', 'UPDATE carried_run SET next = next + 1'],
  ['a carried entry', 'INSERT INTO carried VALUES(5, 3, 1, 1)'],
  ['its base', 'UPDATE base SET seals = seals + 1'],
])('does not open where %s is not what its first entry commits to', async (_, sql) => {
  await fillTwoFiles();
  attack(scratch.path, (db) => withoutTriggers(db, () => void db.exec(sql)));
  await expect(scratch.open()).rejects.toMatchObject({ code: 'ledger_corrupt' });
});
