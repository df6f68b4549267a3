import { afterAll, beforeAll, expect, it } from 'vitest';
import { Altered, sql, unbound, type Change } from '../../testing/altered.js';
import { beginCall, fillRun } from '../../testing/scratch.js';
import type { EntryInput } from '../index.js';

/** Previews of three calls on the first page of entries, none on the next two, and one on the last. */
let ledger: Altered;
beforeAll(async () => {
  ledger = await Altered.write(async (open) => {
    await fillRun(open, 'run', 3);
    const plain: EntryInput = { type: 'shim_health', ts: 1, runId: null, data: {} };
    for (let at = 10; at < 200; at += 10)
      await open.append({ entries: Array.from({ length: 10 }, () => plain) });
    await open.append(beginCall('run', 'late'));
  });
});
afterAll(() => ledger.remove());

const STRAY = '`x` is stored though the entry does not say so';
const GONE = '`call.preview.args_preview` is missing, and no entry says that it was dropped or has expired';
const other = (seq: number): Change =>
  sql(`INSERT INTO blob(id, slot, salt, data) VALUES(${seq} * 64 + 63, 'x', zeroblob(16), x'00')`);

it.each<readonly [string, Change, string]>([
  ['every one of them is gone', sql('DELETE FROM blob'), `blob at 2: ${GONE}`],
  ['the last one is gone', sql('DELETE FROM blob WHERE seq > 100'), `blob at 201: ${GONE}`],
  ['one stands on a page without any', other(100), `blob at 100: ${STRAY}`],
  ['one stands at the first entry of a page without any', other(65), `blob at 65: ${STRAY}`],
  ['one stands at the last entry of a page without any', other(128), `blob at 128: ${STRAY}`],
  ['one stands behind the entries', other(500), 'blob at 0: there are blobs that belong to no entry'],
  ['one stands before the entries', other(0), 'blob at 0: there are blobs that belong to no entry'],
  ['one stands far before them', other(-7), 'blob at 0: there are blobs that belong to no entry'],
  [
    'one stands there twice',
    sql('INSERT INTO blob(id, slot, salt, data) SELECT id + 1, slot, salt, data FROM blob WHERE seq = 2'),
    'blob at 2: `call.preview.args_preview` is stored though the entry does not say so',
  ],
  [
    'one is another of the same length',
    sql('UPDATE blob SET data = zeroblob(length(data)) WHERE seq = 2'),
    'blob at 2: `call.preview.args_preview` is not what the entry committed to',
  ],
  [
    'one gave a byte to its salt',
    unbound(
      'blob',
      'CHECK(length(salt)=16)',
      '',
      'UPDATE blob SET salt = CAST(salt || substr(data, 1, 1) AS BLOB), data = substr(data, 2) WHERE seq = 2',
    ),
    'blob at 2: `call.preview.args_preview` is not what the entry committed to',
  ],
  [
    'one is stored as text',
    unbound('blob', 'data BLOB', 'data TEXT', 'UPDATE blob SET data = CAST(data AS TEXT) WHERE seq = 2'),
    'type at 2: `call.preview.args_preview` is stored as another type',
  ],
  [
    'a salt is stored as text',
    unbound(
      'blob',
      'salt BLOB NOT NULL CHECK(length(salt)=16)',
      'salt TEXT NOT NULL',
      'UPDATE blob SET salt = CAST(salt AS TEXT) WHERE seq = 2',
    ),
    'type at 2: `call.preview.args_preview` is stored as another type',
  ],
])('previews are found wanting where %s', async (_, change, finding) => {
  expect(await ledger.found(change)).toBe(finding);
});

it('a preview that the entry says was dropped is not missed, and may not come back', async () => {
  const own = await Altered.write((open) =>
    open.append({ ...beginCall('run', 'call'), dropPreviews: 'budget' }),
  );
  expect(await own.found(() => undefined)).toBe('ok');
  const back = sql(
    "INSERT INTO blob(id, slot, salt, data) VALUES(64, 'call.preview.args_preview', zeroblob(16), x'00')",
  );
  expect(await own.found(back)).toBe(
    'blob at 1: `call.preview.args_preview` is stored though the entry does not say so',
  );
  own.remove();
});
