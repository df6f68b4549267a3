import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub, shimCommand } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const SECONDS = process.env['SUB_LONG'] === undefined ? 3 : 60;

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  await home.startWatched();
});
afterAll(() => home.remove());

it(`${SECONDS} s of unauthenticated garbage leave at most one entry a second and an honest run goes on`, async () => {
  const session = await openRawSession(shimCommand(home.home, 'echo', [process.execPath, echo]));
  const entries = () => {
    const ledger = new Database(home.ledger, { readonly: true });
    try {
      return ledger.prepare('SELECT count(*) AS n FROM entry WHERE kind = 42').get() as { n: number };
    } finally {
      ledger.close();
    }
  };
  const before = entries().n;
  const until = performance.now() + SECONDS * 1000;
  let attempts = 0;
  const attacker = async () => {
    while (performance.now() < until) {
      await throwGarbage(join(home.home, 'run', 'gateway.sock'), randomBytes(512));
      attempts += 1;
    }
  };
  const attackers = Array.from({ length: 4 }, attacker);
  let honest = 0;
  while (performance.now() < until) {
    const answer = await session.request('tools/call', { name: 'echo', arguments: { honest } });
    expect(answer.error).toBeUndefined();
    honest += 1;
  }
  await Promise.all(attackers);
  expect(attempts).toBeGreaterThan(SECONDS * 10);
  expect(honest).toBeGreaterThan(SECONDS);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const left = entries().n - before;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(SECONDS + 2);
  await session.close();
  expect(await runSub(['audit', 'verify', '--home', home.home])).toMatchObject({ code: 0 });
}, 120_000);

/** Connects, sends bytes that are no handshake, and waits for the gateway to hang up. */
function throwGarbage(path: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.on('connect', () => socket.write(bytes));
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.destroy());
    socket.on('close', () => resolve());
    socket.setTimeout(3000, () => socket.destroy());
  });
}
