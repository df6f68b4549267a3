import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { shimCommand } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const SHIMS = 8;
const CLIENTS = 4;
const CALLS = process.env['SUB_LONG'] === undefined ? 3000 : 20_000;
const IN_FLIGHT = 8;

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  await home.startWatched();
});
afterAll(() => home.remove());

it('eight shims and four command line clients at once give one unforked chain without a hole', async () => {
  const log = join(home.root, 'reached.log');
  let running = true;
  const shims = Array.from({ length: SHIMS }, (_, n) => storm(`server-${n}`, log));
  const clients = Array.from({ length: CLIENTS }, (_, n) => pester(n, () => running));
  await Promise.all(shims);
  running = false;
  const pestered = await Promise.all(clients);
  expect(Math.min(...pestered)).toBeGreaterThan(0);

  const verify = await runSub(['audit', 'verify', '--home', home.home, '--json'], { timeoutMs: 120_000 });
  expect(verify).toMatchObject({ code: 0 });

  const reached = readFileSync(log, 'utf8').trim().split('\n');
  expect(reached.length).toBe(CALLS);
  expect(new Set(reached).size).toBe(CALLS);

  const ledger = new Database(home.ledger, { readonly: true });
  try {
    const complete = ledger
      .prepare(
        `SELECT count(*) AS calls,
                count(DISTINCT json_extract(s.body, '$.data.call.call_id')) AS ids,
                sum(d.code = 1 AND d.ref = s.seq AND d.seq > s.seq AND e.seq > d.seq AND e.code = 10) AS complete
           FROM entry s JOIN entry d ON d.ref = s.seq JOIN entry e ON e.ref = d.seq
          WHERE s.kind = 2 AND d.kind = 3 AND e.kind = 4
            AND json_extract(s.body, '$.tool[1]') = 'echo'`,
      )
      .get();
    expect(complete).toEqual({ calls: CALLS, ids: CALLS, complete: CALLS });
    expect(ledger.prepare('SELECT count(*) AS rows, max(seq) AS last FROM entry').get()).toSatisfy(
      (row: { rows: number; last: number }) => row.rows === row.last,
    );
  } finally {
    ledger.close();
  }
}, 240_000);

/** One client with its shim: `CALLS / SHIMS` calls, `IN_FLIGHT` at a time. */
async function storm(server: string, log: string): Promise<void> {
  const session = await openRawSession(
    shimCommand(home.home, server, [process.execPath, echo], ['ECHO_LOG']),
    {
      ...process.env,
      ECHO_LOG: log,
    },
  );
  let next = 0;
  const caller = async () => {
    while (next < CALLS / SHIMS) {
      const n = (next += 1);
      const answer = await session.request('tools/call', { name: 'echo', arguments: { server, n } });
      expect(answer.error).toBeUndefined();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  expect(session.unclaimed).toEqual([]);
  expect(await session.close()).toBe(0);
}

/**
 * A person (or a program) that asks the gateway and the ledger while all this goes on; gives the number of
 * rounds.
 */
async function pester(n: number, running: () => boolean): Promise<number> {
  const asks = [
    ['status', '--json'],
    ['query', '--limit', '20', '--json'],
    [
      'call',
      'service.api_call',
      '--payload',
      '{"service":"x","endpoint":"https://not-allowed.example/","method":"GET"}',
    ],
    ['runs', '--json'],
  ];
  const expected = [0, 0, 3, 0];
  let rounds = 0;
  while (running()) {
    const turn = (n + rounds) % asks.length;
    const answer = await runSub([...(asks[turn] ?? []), '--home', home.home]);
    expect({ ask: asks[turn]?.[0], ...answer }).toMatchObject({ code: expected[turn] });
    rounds += 1;
  }
  return rounds;
}
