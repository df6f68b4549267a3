import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { shimCommand } from '../harness/sub.js';
import { answersOf } from './answers.js';
import { RefusalCount } from './refusals.js';
import { lenientServer, type Reading, READINGS, Server } from './server.js';
import { POLICY, REFUSED, SMUGGLED } from './smuggled.js';

let home: TestHome;
let folder: string;
const shielded: Server[] = [];
const bare: Server[] = [];
let refusals: RefusalCount<Reading>;

beforeAll(async () => {
  home = createHome({ policy: POLICY });
  folder = mkdtempSync(join(tmpdir(), 'lenient-'));
  await home.startWatched();
  refusals = new RefusalCount(home.ledger, READINGS);
  for (const reading of READINGS) {
    const argv = (log: string) => lenientServer(reading, join(folder, log));
    writeFileSync(join(folder, `${reading}-bare`), '');
    bare.push(new Server(join(folder, `${reading}-bare`), argv(`${reading}-bare`)));
    const command = shimCommand(home.home, reading, argv(`${reading}-shielded`));
    shielded.push(new Server(join(folder, `${reading}-shielded`), command));
  }
});

afterAll(async () => {
  await Promise.all([...bare, ...shielded].map((server) => server.close()));
  refusals.close();
  await home.remove();
  rmSync(folder, { recursive: true });
});

describe('a refused call runs in no server, however that reads, as', () => {
  it.each(SMUGGLED)(
    '$name',
    async (smuggled) => {
      const seen = await Promise.all(bare.map((server) => server.ran(smuggled)));
      expect(seen.map(({ log }) => log).join(''), 'no server would have run it anyway').toMatch(REFUSED);
      const before = refusals.counts();
      const ran = await Promise.all(shielded.map((server) => server.ran(smuggled)));
      for (const { log, honest, said } of ran) {
        expect(log).not.toMatch(REFUSED);
        expect(log, 'the session lives on').toContain(`echo ${honest}`);
        for (const answer of answersOf(said)) expect(answer).toMatchObject({ jsonrpc: '2.0' });
      }
      for (const reading of READINGS) {
        await eventually(
          `the refusal is recorded for ${reading}`,
          () => refusals.counts()[reading] > before[reading],
        );
      }
    },
    180_000,
  );
});

it.each(READINGS)('a call whose line never ends runs in no server that takes the %s', async (reading) => {
  const line = '{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"danger","arguments":{}}}';
  const logs: string[] = [];
  for (const kind of ['bare', 'shielded']) {
    const log = join(folder, `${reading}-${kind}-half`);
    writeFileSync(log, '');
    const server = lenientServer(reading, log);
    const [command = '', ...args] = kind === 'bare' ? server : shimCommand(home.home, reading, server);
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.end(line);
    await once(child, 'exit');
    logs.push(readFileSync(log, 'utf8'));
  }
  expect(logs).toEqual([expect.stringMatching(REFUSED), '']);
});
