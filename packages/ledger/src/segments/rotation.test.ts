import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { beginCall, endCall, fillRun, runEnd, Scratch } from '../../testing/scratch.js';
import { openReadOnly } from '../schema/connection.js';

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
  expect(segments()).toHaveLength(1);
  await ledger.close();
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
