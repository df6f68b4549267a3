import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { processIdentity } from '@subluminal/ipc';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import { finished } from '../harness/sub.js';
import { GatewayHome } from '../support/gateway-home.js';
import { programOf } from '../support/programs.js';

const CLIENT = programOf('asking-client');
const PROCESSES = 4;
const CALLERS = 8;

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of cleanups.splice(0).toReversed()) await step();
});

async function homeWith(config: string): Promise<GatewayHome> {
  const home = new GatewayHome();
  cleanups.push(() => home.remove());
  appendFileSync(home.paths.config, config);
  return home.start();
}

/** 32 callers in four processes that ask at once, until each was answered `times` times. */
function crowd(home: GatewayHome, plan: Record<string, unknown>): Promise<Record<string, number>[]> {
  const path = join(home.root, 'plan.json');
  writeFileSync(path, JSON.stringify({ socketPath: home.paths.socket, callers: CALLERS, ...plan }));
  return Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const child = spawn(process.execPath, [CLIENT, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      const { stdout, code } = await finished(child, 60_000);
      expect(code).toBe(0);
      return JSON.parse(stdout) as Record<string, number>;
    }),
  );
}

function countRows(home: GatewayHome, where: string): number {
  const ledger = new Database(home.paths.ledgerDb, { readonly: true });
  try {
    const row = ledger.prepare<[], { n: number }>(`SELECT count(*) AS n FROM entry WHERE ${where}`).get();
    return row?.n ?? 0;
  } finally {
    ledger.close();
  }
}

const sum = (counts: readonly Record<string, number>[], status: string): number =>
  counts.reduce((total, one) => total + (one[status] ?? 0), 0);

it('32 callers in four processes get one window of an action, however often the gateway is killed', async () => {
  const LIMIT = 24;
  const home = await homeWith(
    `[anomaly]\nburst = "flag"\nnew_domain = "flag"\n[rate_limits]\nglobal = 30\n` +
      `[rate_limits.actions]\n"service.api_call" = ${LIMIT}\n`,
  );
  let effects = 0;
  const server = createServer((_request, response) => {
    effects += 1;
    setTimeout(() => response.end('{}'), 30);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await home.ask('allow.add', { host: '127.0.0.1', port, allow_private: true });
  const payload = { service: 's', endpoint: `http://127.0.0.1:${port}/`, method: 'GET' };
  const plan = { credentialPath: home.paths.operatorKey, times: 2, action: 'service.api_call', payload };

  const asking = crowd(home, plan);
  await eventually('the first effects', () => effects > 2, 30_000);
  await home.endGateway('SIGKILL');
  await home.start();
  const counts = await asking;
  expect(effects).toBeLessThanOrEqual(LIMIT);
  expect(countRows(home, `kind = 20 AND body->>'$.tool' = 'service.api_call'`)).toBe(LIMIT);
  expect(sum(counts, 'success')).toBeLessThanOrEqual(LIMIT);
  expect(sum(counts, 'rate_limited')).toBeGreaterThan(0);

  await home.endGateway('SIGTERM');
  await home.start();
  const again = await crowd(home, { ...plan, times: 1 });
  expect(sum(again, 'rate_limited')).toBe(PROCESSES * CALLERS);
  // The window of all actions together has six left, for an action whose own has more.
  await home.endGateway('SIGTERM');
  const config = readFileSync(home.paths.config, 'utf8');
  writeFileSync(
    home.paths.config,
    config.replace(`"service.api_call" = ${LIMIT}`, '"service.api_call" = 60'),
  );
  await home.start();
  const others = await crowd(home, { ...plan, times: 1 });
  expect(sum(others, 'success')).toBe(6);
  expect(sum(others, 'rate_limited')).toBe(PROCESSES * CALLERS - 6);
}, 120_000);

it('32 callers in four processes open no more runs in a minute than one could, also across a kill', async () => {
  const LIMIT = 20;
  const home = await homeWith(`[runs]\nenrolments_per_minute = ${LIMIT}\n`);
  const holder = processIdentity(process.pid);
  const payload = { agent_id: 'a', client: 'custom', env: 'dev', holder };
  const plan = { credentialPath: home.paths.enrolKey, times: 2, action: 'run.begin', payload };
  const asking = crowd(home, plan);
  await eventually('the first runs', () => countRows(home, 'kind = 1') > 2, 30_000);
  await home.endGateway('SIGKILL');
  await home.start();
  const counts = await asking;
  const ledger = new Database(home.paths.ledgerDb, { readonly: true });
  const times = ledger.prepare<[], { ts: number }>('SELECT ts FROM entry WHERE kind = 1 ORDER BY ts').all();
  ledger.close();
  for (const { ts } of times) {
    expect(times.filter((one) => one.ts >= ts && one.ts < ts + 60_000).length).toBeLessThanOrEqual(LIMIT);
  }
  expect(times.length).toBeGreaterThanOrEqual(LIMIT);
  expect(sum(counts, 'rate_limited')).toBeGreaterThan(0);
}, 120_000);
