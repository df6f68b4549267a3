import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Altered, sql, type Change } from '../../testing/altered.js';
import { appendRow, type NewRow } from '../../testing/attacks/rewrite.js';
import { action, fillRun, runEnd } from '../../testing/scratch.js';
import type { EntryInput, Ledger } from '../index.js';

/** Two files. In the second run 1 has ended, and run 3 has not. */
let ledger: Altered;
beforeAll(async () => {
  const run = (id: string) => async (open: Ledger) => {
    await fillRun(open, id, 3);
    await open.append({ entries: [runEnd(id)] });
  };
  ledger = await Altered.write(run('run-a'), async (open) => {
    await run('run-b')(open);
    await fillRun(open, 'run-c', 1);
  });
});
afterAll(() => ledger.remove());

const [OPENED, NEXT] = [15, 32];

/** One more entry at the end. */
const row =
  (fields: NewRow): Change =>
  (db) =>
    void appendRow(db, fields);

const HEALTH = { kind: 9, type: 'shim_health' };
const DATA = '{"a":1}';

describe('an entry that all signatures cover', () => {
  it.each<readonly [string, NewRow, string]>([
    ['is one', HEALTH, 'unproven'],
    [
      'is the end of no run',
      { kind: 5, type: 'run_end', code: { number: 30, name: 'SUCCEEDED' } },
      'unproven',
    ],
    [
      'follows the end of its run',
      { ...HEALTH, run: 1 },
      `run_chain at ${NEXT}: it follows the end of its run`,
    ],
    [
      'refers to one that comes later',
      { ...HEALTH, ref: 500 },
      `pairing at ${NEXT}: it refers to 500, which does not come before it`,
    ],
    [
      'reports on nothing',
      { kind: 21, type: 'action_result', code: { number: 21, name: 'success' } },
      `pairing at ${NEXT}: it refers to nothing, though it reports on something`,
    ],
    [
      'claims an id that is not recorded',
      { ...HEALTH, data: '{"#seen":"a"}' },
      `seen at ${NEXT}: it claims the request id \`a\`, which is not recorded as claimed by it`,
    ],
    [
      'says nothing readable of previews',
      { ...HEALTH, data: '{"#blobs":null}' },
      `column at ${NEXT}: its body does not say what it claims or commits to`,
    ],
    ['has no data', { ...HEALTH, data: '' }, `column at ${NEXT}: its body is not in canonical form`],
    [
      'has data of one character',
      { ...HEALTH, data: '5' },
      `column at ${NEXT}: its body is not in canonical form`,
    ],
    ['speaks of an anchor', { kind: 51, type: 'anchored', data: DATA }, 'unproven'],
    [
      'speaks of an anchor in two ways',
      { kind: 51, type: 'anchored', data: '{"a":1,"a":2}' },
      `column at ${NEXT}: it is not what a writer makes of an entry of its kind`,
    ],
    [
      'speaks of the ledger, and belongs to a run',
      { kind: 51, type: 'anchored', data: DATA, run: 3 },
      `run_chain at ${NEXT}: an entry of the ledger itself belongs to no run`,
    ],
    [
      'speaks of a restore that never was',
      { kind: 54, type: 'restored', data: DATA },
      `seal at ${NEXT}: it speaks of a restore that the log key did not sign`,
    ],
    [
      'opens a file',
      { kind: 56, type: 'segment_opened', data: DATA },
      `segment at ${NEXT}: it opens a file that is open`,
    ],
  ])('%s', async (_, fields, finding) => {
    expect(await ledger.forged(row(fields))).toBe(finding);
  });

  it('is followed by what the end of no run does not end', async () => {
    const changes: Change = (db) => {
      appendRow(db, { kind: 5, type: 'run_end', code: { number: 30, name: 'SUCCEEDED' } });
      appendRow(db, HEALTH);
    };
    expect(await ledger.forged(changes)).toBe('unproven');
  });

  it('opens its file, and no other kind does', async () => {
    const other = sql(
      `UPDATE entry SET kind = 9, body = replace(body, '"segment_opened"', '"shim_health"') WHERE seq = ${OPENED}`,
    );
    expect(await ledger.forged(other, { from: OPENED })).toBe(
      `segment at ${OPENED}: it does not commit to what its file begins with`,
    );
  });
});

it('an action stays open though other entries refer to it', async () => {
  const own = await Altered.write(async (open) => {
    const pending = await open.append({ entries: [action('action_pending', 'run', 'pending')] });
    const ref = pending.ok ? (pending.entries[0]?.seq ?? 0) : 0;
    const remark: EntryInput = { type: 'shim_health', ts: 1, runId: null, data: {}, ref };
    await open.append({ entries: [remark] });
  });
  expect(await own.scratch.verify()).toMatchObject({ verdict: 'ok', open: 1 });
  own.remove();
});

it('a tile is compared as soon as its entries are there', async () => {
  const plain: EntryInput = { type: 'shim_health', ts: 1, runId: null, data: {} };
  const own = await Altered.write((open) =>
    open.append({ entries: Array.from({ length: 300 }, () => plain) }),
  );
  expect(await own.found(sql('UPDATE tile SET hash = zeroblob(32)'))).toBe(
    'tile at 1: the tile 1/0 is not what its entries give',
  );
  own.remove();
});
