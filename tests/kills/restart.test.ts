import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gatewayListens, homePaths } from '@subluminal/ipc';
import { inspectLedger } from '@subluminal/ledger';
import { startGateway } from '@subluminal/shim';
import { afterEach, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';

const GATEWAY = fileURLToPath(new URL('../../packages/gateway/dist/bundle/gateway.js', import.meta.url));
const ENTRIES = Number(process.env['RESTART_ENTRIES'] ?? 1_000_000);
const FILL = fileURLToPath(new URL('fill.mjs', import.meta.url));
const STARTS = 5;

let home: TestHome;
afterEach(() => home.remove());

it.skipIf(process.env['SUB_LONG'] === undefined)(
  'a gateway that was killed serves again with a million entries behind it (takes minutes: SUB_LONG)',
  async () => {
    home = createHome();
    const paths = homePaths(home.home);
    await startGateway({ paths, entry: GATEWAY });
    await stopGateway(home.home);
    const args = [FILL, paths.ledgerDb, paths.logKey, paths.sealKey, home.headsLog, String(ENTRIES)];
    const fill = spawn(process.execPath, args, { stdio: 'inherit' });
    expect(await once(fill, 'exit')).toEqual([0, null]);
    const { entries } = inspectLedger(paths.ledgerDb);
    const times: number[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const began = performance.now();
      await startGateway({ paths, entry: GATEWAY });
      times.push(performance.now() - began);
      expect(await gatewayListens(paths.socket)).toBe(true);
      await stopGateway(home.home, 'SIGKILL');
    }
    expect(entries).toBeGreaterThanOrEqual(ENTRIES);
    const [fastest = 0, , middle = 0] = times.toSorted((a, b) => a - b);
    console.info(
      `${entries} entries: a killed gateway serves again after ${Math.round(middle)} ms (median of ${STARTS}, least ${Math.round(fastest)} ms)`,
    );
  },
  1_800_000,
);
