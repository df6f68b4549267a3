import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Altered, sql, type Change } from '../../testing/altered.js';
import { relink } from '../../testing/attacks/rewrite.js';
import { beginCall, endCall, fillRun, runEnd } from '../../testing/scratch.js';
import { Frames } from './names.js';

describe('the names and numbers of an entry', () => {
  /**
   * The names are 1, a run; 2, a tool; 3, an action; 4, another run. Entry 4 is the end of a call, and 7 one
   * of a cancelled one.
   */
  let ledger: Altered;
  beforeAll(async () => {
    ledger = await Altered.write(async (open) => {
      await fillRun(open, 'run-a', 1);
      const begun = await open.append(beginCall('run-a', 'second'));
      const ref = begun.ok ? (begun.entries[1]?.seq ?? 0) : 0;
      await open.append({ entries: [{ ...endCall('run-a', 'second', ref), code: 'CANCELLED' }] });
      await open.append({
        entries: [
          { type: 'action_rejected', ts: 1, runId: null, tool: 'an.action', code: 'rejected', data: {} },
        ],
      });
      await open.append({ entries: [runEnd('run-b')] });
    });
  });
  afterAll(() => ledger.remove());

  const NAMES = 'the names of its run or tool are not those of its body';
  const name = (id: number, text: string): string => `UPDATE dict SET name = '${text}' WHERE id = ${id}`;
  const named =
    (edits: string, from: string, to: string): Change =>
    (db) => {
      db.exec(edits);
      db.prepare('UPDATE entry SET body = replace(body, ?, ?)').run(from, to);
      relink(db, 1);
    };

  it.each<readonly [string, Change, string]>([
    ['a name less', sql('DELETE FROM dict WHERE id = 4'), 'dict at 9: run number 4 has no name'],
    [
      'a name left out',
      sql('UPDATE dict SET id = 99 WHERE id = 4'),
      'dict at 0: its 4 names are not numbered from 1 to 4',
    ],
    [
      'a name before the first',
      sql('UPDATE dict SET id = 0 WHERE id = 1'),
      'dict at 0: its 4 names are not numbered from 1 to 4',
    ],
    [
      'a run without a name',
      sql('UPDATE entry SET run = 99 WHERE seq = 4'),
      'dict at 4: run number 99 has no name',
    ],
    [
      'a tool for a run',
      sql('UPDATE entry SET run = 2 WHERE seq = 4'),
      'dict at 4: run number 2 has no name',
    ],
    [
      'a tool without a name',
      sql('UPDATE entry SET tool = 99 WHERE seq = 4'),
      'dict at 4: tool number 99 has no name',
    ],
    [
      'a run for a tool',
      sql('UPDATE entry SET tool = 1 WHERE seq = 4'),
      'dict at 4: tool number 1 has no name',
    ],
    ['an action for a tool', sql('UPDATE entry SET tool = 3 WHERE seq = 4'), `dict at 4: ${NAMES}`],
    ['another run', sql('UPDATE entry SET run = 4 WHERE seq = 4'), `dict at 4: ${NAMES}`],
    [
      'a tool named as an action',
      sql('UPDATE dict SET kind = 3 WHERE id = 2'),
      'dict at 2: tool number 2 has no name',
    ],
    [
      'an action named as a tool',
      sql('UPDATE dict SET kind = 2 WHERE id = 3'),
      'dict at 8: tool number 3 has no name',
    ],
    [
      'a run named as a tool is',
      named(name(1, '["run-a"]'), '"run_id":"run-a"', '"run_id":["run-a"]'),
      'dict at 1: run number 1 has no name',
    ],
    [
      'a kind that is none',
      sql('UPDATE entry SET kind = 99 WHERE seq = 4'),
      'column at 4: kind 99 is not known',
    ],
    [
      'a code that is none',
      sql('UPDATE entry SET code = 99 WHERE seq = 4'),
      'column at 4: code 99 is not one of a tool_call_end',
    ],
    [
      'a code of the same name, of another kind',
      sql('UPDATE entry SET code = 33 WHERE seq = 7'),
      'column at 7: code 33 is not one of a tool_call_end',
    ],
  ])('are found wrong: %s', async (_, change, finding) => {
    expect(await ledger.alone(change)).toBe(finding);
  });
});

it('as many names as there are, however many, are counted once each', () => {
  const db = new SqliteDatabase(':memory:');
  db.exec(`CREATE TABLE dict(id INTEGER PRIMARY KEY, kind, name);
    WITH RECURSIVE number(id) AS (VALUES(1) UNION ALL SELECT id + 1 FROM number WHERE id < 9000)
    INSERT INTO dict SELECT id, 1, '"' || id || '"' FROM number`);
  const frames = new Frames(db);
  for (let round = 0; round < 2; round += 1)
    for (let id = 1; id <= 9000; id += 1)
      if (frames.name(id, 1) !== `"${id}"`) throw new Error(`${id} is lost`);
  expect(frames.usedCount).toBe(9000);
  db.close();
});
