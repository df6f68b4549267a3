import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Altered, sql, type Change } from '../../testing/altered.js';
import { lie, relink } from '../../testing/attacks/rewrite.js';
import { fillRun, SIGNING_KEY } from '../../testing/scratch.js';
import { signCheckpoint } from '../head/note.js';

/** Files of the entries 1 to 13 and 14 to 25. */
let ledger: Altered;
beforeAll(async () => {
  ledger = await Altered.write(
    (open) => fillRun(open, 'run-a', 3),
    (open) => fillRun(open, 'run-b', 3),
  );
});
afterAll(() => ledger.remove());

const [CLOSED, NEWEST] = [13, 25];
const BEFORE = 5;

/** A head of some size, as the gateway signed one then. */
const head =
  (size: number): Change =>
  (db) => {
    const tree = ledger.tree(size);
    const [seal = SIGNING_KEY] = ledger.sealKeys;
    const note = signCheckpoint('test-ledger', { size, root: tree.root() }, { log: SIGNING_KEY, seal });
    db.prepare("UPDATE head SET note = ?, frontier = ?, open = '[]', mark_size = ?, mark_frontier = ?").run(
      note,
      tree.toBytes(),
      size,
      tree.toBytes(),
    );
  };

const mark =
  (size: number, bytes = ledger.tree(size).toBytes()): Change =>
  (db) =>
    void db.prepare('UPDATE head SET mark_size = ?, mark_frontier = ?').run(size, bytes);

describe('the head of a file', () => {
  it.each<readonly [string, number, () => Change, string]>([
    [
      'covers less than lies before its file',
      2,
      () => head(BEFORE),
      `head at ${CLOSED}: the signed head of its file covers less than lies before it`,
    ],
    [
      'has a mark from before its file',
      2,
      () => mark(BEFORE),
      `head at ${CLOSED}: the mark of its file lies before it`,
    ],
    [
      'has a mark at the beginning of its file, of another tree',
      2,
      () => mark(CLOSED, Buffer.alloc(96)),
      `head at ${CLOSED}: the stored mark differs`,
    ],
    [
      'has a mark of another tree',
      2,
      () => mark(CLOSED + 1, Buffer.alloc(96)),
      `head at ${CLOSED + 1}: the stored mark differs`,
    ],
    [
      'does not cover its file, which is closed',
      1,
      () => head(BEFORE),
      `head at ${CLOSED}: the signed head of its file, which is closed, does not cover it (\`1-1-${CLOSED}.db\`)`,
    ],
    [
      'lists another open entry',
      2,
      () => sql("UPDATE head SET open = '[16]'"),
      `head at ${NEWEST}: the list of open entries differs`,
    ],
    [
      'has another frontier',
      2,
      () => sql('UPDATE head SET frontier = zeroblob(length(frontier))'),
      'head at 0: the frontier does not give the head’s root',
    ],
  ])('is found wrong where it %s', async (_, file, change, finding) => {
    expect(await ledger.found(change(), file)).toBe(finding);
  });

  it('is found wrong where the entries give another tree', async () => {
    const later: Change = (db) => {
      lie(db, NEWEST);
      relink(db, NEWEST);
    };
    expect(await ledger.alone(later)).toBe(`head at ${NEWEST}: the signed head names another root`);
  });

  it('may have a mark at the beginning of its file, and cover no more than that', async () => {
    expect(await ledger.found(mark(CLOSED), 2)).toBe('ok');
  });
});

describe('more entries than there are', () => {
  it('are missed where the head covers them', async () => {
    const last = sql('DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)');
    expect(await ledger.alone(last)).toBe(
      `head at ${NEWEST}: it is not there, the signed head covers ${NEWEST}`,
    );
  });
});
