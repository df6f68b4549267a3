import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RunOpened } from '@subluminal/core-types';
import { connectGateway, homePaths, processIdentity, readCredential } from '@subluminal/ipc';
import { inspectLedger, openLedgerReader } from '@subluminal/ledger';
import { startGateway } from '@subluminal/shim';
import { afterEach, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';

const GATEWAY = fileURLToPath(new URL('../../packages/daemon/dist/bundle/gateway.js', import.meta.url));
const ENTRIES = Number(process.env['RESTART_ENTRIES'] ?? 1_000_000);
const FILL = fileURLToPath(new URL('fill.mjs', import.meta.url));
const STARTS = 5;
const LAYOUTS = [
  { where: 'in one file', segmentMb: 0, charge: [] },
  { where: 'in files of 2 MiB', segmentMb: 2, charge: [] },
  { where: 'in one file, each call charged', segmentMb: 0, charge: [chargeOfOne()] },
];

/** What a call takes out of a budget and a breaker, as its decision holds it. */
function chargeOfOne(): string {
  const budget = ['budget', 'many', 0, 0, 0, 1, 0];
  const breaker = ['breaker', 'loop', 0, 0, 1, 5, 60_000, 5, 60_000, 0, 0];
  return JSON.stringify({ items: [budget, breaker], keys: ['', 'a'.repeat(64)] });
}

let home: TestHome;
afterEach(() => home.remove());

/** A run that this process holds. */
async function openRun(socketPath: string, operatorKey: string): Promise<string> {
  const credential = readCredential(operatorKey);
  const operator = await connectGateway({ socketPath, credential, clock: Date.now });
  const holder = processIdentity(process.pid);
  const { data } = await operator.request('run.begin', {
    agent_id: 'agent',
    client: 'custom',
    env: 'dev',
    holder,
  });
  operator.close();
  return RunOpened.parse(data).run_id;
}

it.skipIf(process.env['SUB_LONG'] === undefined).each(LAYOUTS)(
  'a gateway that was killed serves again with a million entries of a run behind it, $where (takes minutes: SUB_LONG)',
  async ({ where, segmentMb, charge }) => {
    home = createHome({ config: segmentMb === 0 ? '' : `[ledger]\nsegment_mb = ${segmentMb}\n` });
    const paths = homePaths(home.home);
    await startGateway({ paths, entry: GATEWAY });
    const run = await openRun(paths.socket, paths.operatorKey);
    await stopGateway(home.home, 'SIGKILL');
    const args = [FILL, paths.ledgerDb, paths.logKey, paths.sealKey, home.headsLog, String(ENTRIES), run];
    const more = [String(segmentMb * 1_048_576), ...charge];
    const fill = spawn(process.execPath, [...args, ...more], { stdio: 'inherit' });
    expect(await once(fill, 'exit')).toEqual([0, null]);
    const { entries } = inspectLedger(paths.ledgerDb);
    expect(entries).toBeGreaterThanOrEqual(ENTRIES);
    const times: number[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const began = performance.now();
      // The first one finds nothing kept, and counts every entry.
      expect(await startGateway({ paths, entry: GATEWAY, timeoutMs: 120_000 })).toBe('started');
      times.push(Math.round(performance.now() - began));
      await stopGateway(home.home, 'SIGKILL');
    }
    const reader = openLedgerReader(paths.ledgerDb);
    const closed = reader.closedFiles.there.length;
    reader.close();
    const [first = 0, ...later] = times;
    const [least = 0, middle = 0] = later.toSorted((a, b) => a - b);
    console.info(
      `${entries} entries ${where} (${closed} closed): a killed gateway serves again after ${first} ms, ` +
        `then after ${middle} ms (of ${later.length}, least ${least} ms)`,
    );
  },
  1_800_000,
);
