import { afterAll, beforeAll, expect, it } from 'vitest';
import { Altered, sql, unbound, type Change } from '../../testing/altered.js';
import { action, beginCall, runStart } from '../../testing/scratch.js';

/**
 * Two files. The second goes on with a call and an action, and with the chains of the gateway and of two
 * runs.
 */
let ledger: Altered;
beforeAll(async () => {
  ledger = await Altered.write(
    async (open) => {
      await open.append({ entries: [runStart('b')] });
      await open.append({ entries: [runStart('a')] });
      await open.append(beginCall('b', 'call-b'));
      await open.append({ entries: [action('action_pending', 'a', 'pending')] });
    },
    (open) => open.append(beginCall('a', 'call-a')),
  );
});
afterAll(() => ledger.remove());

const FIRST = 9;
const TYPES = `type at ${FIRST}: what its file goes on with has columns of other types`;
const differing = (detail: string): string =>
  `segment at ${FIRST}: its file does not begin as it has to: ${detail}`;

it('a file that goes on as it has to is sound', async () => {
  expect(await ledger.found(() => undefined)).toBe('ok');
});

it('a file may number its names as it likes', async () => {
  const numbers =
    sql(`UPDATE dict SET id = id + 100; UPDATE dict SET id = iif(id = 101, 2, iif(id = 102, 1, id - 100));
    UPDATE entry SET run = 3 - run WHERE run IN (1, 2);
    UPDATE seen SET run = 3 - run;
    UPDATE carried SET run = 3 - run WHERE run IN (1, 2);
    UPDATE carried_run SET run = run + 100 WHERE run > 0; UPDATE carried_run SET run = 103 - run WHERE run > 0`);
  expect(await ledger.found(numbers)).toBe('ok');
});

it.each<readonly [string, Change, string]>([
  [
    'a kind is stored as text',
    unbound('carried', 'kind INTEGER', 'kind TEXT', 'UPDATE carried SET kind = CAST(kind AS TEXT)'),
    TYPES,
  ],
  [
    'the run of one entry is stored as text',
    unbound('carried', 'run INTEGER', 'run BLOB', 'UPDATE carried SET run = CAST(run AS TEXT) WHERE seq = 4'),
    TYPES,
  ],
  [
    'the index of a chain is stored as text',
    unbound('carried_run', 'next INTEGER', 'next TEXT', 'UPDATE carried_run SET next = CAST(next AS TEXT)'),
    TYPES,
  ],
  [
    'the tip of a chain is stored as text',
    unbound(
      'carried_run',
      'last BLOB NOT NULL CHECK(length(last)=32)',
      'last TEXT NOT NULL',
      'UPDATE carried_run SET last = lower(hex(last))',
    ),
    TYPES,
  ],
  [
    'a chain is of a run without a name',
    sql('UPDATE carried_run SET run = 99 WHERE run = 2'),
    `dict at ${FIRST}: run number 99 has no name`,
  ],
  [
    'an entry is of what is no run',
    sql('UPDATE carried SET run = (SELECT max(id) FROM dict) WHERE seq = 4'),
    `dict at ${FIRST}: run number 3 has no name`,
  ],
  [
    'an entry is left out',
    sql('DELETE FROM carried WHERE seq = 4'),
    differing('it does not go on with entry 4, which may still be referred to'),
  ],
  [
    'all entries are left out',
    sql('DELETE FROM carried'),
    differing('it does not go on with entry 4, which may still be referred to'),
  ],
  [
    'one more entry is there',
    sql('INSERT INTO carried VALUES(3, 2, 0, 2)'),
    differing('it goes on with entry 3, which nothing may refer to any more, or not as it is'),
  ],
  ...['kind = 20', 'code = 2', 'run = 1', 'run = 0'].map(
    (text) =>
      [
        `an entry has the ${text}`,
        sql(`UPDATE carried SET ${text} WHERE seq = 4`),
        differing('it goes on with entry 4, which nothing may refer to any more, or not as it is'),
      ] as const,
  ),
  [
    'a chain is left out',
    sql('DELETE FROM carried_run WHERE run = 1'),
    differing('it does not go on with the chain of the run "a"'),
  ],
  [
    'the chain of the gateway is left out',
    sql('DELETE FROM carried_run WHERE run = 0'),
    differing('it does not go on with the chain of the gateway'),
  ],
  [
    'every chain is left out',
    sql('DELETE FROM carried_run'),
    differing('it does not go on with the chain of the gateway'),
  ],
  [
    'a chain has another index',
    sql('UPDATE carried_run SET next = next + 1 WHERE run = 2'),
    differing('it goes on with the chain of the run "b", which has ended or stands elsewhere'),
  ],
  [
    'the chain of the gateway has another tip',
    sql('UPDATE carried_run SET last = zeroblob(32) WHERE run = 0'),
    differing('it goes on with the chain of the gateway, which has ended or stands elsewhere'),
  ],
])('what a file goes on with is found wrong where %s', async (_, change, finding) => {
  expect(await ledger.found(change, 2)).toBe(finding);
});
