import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, watchEnd } from '../harness/processes.js';
import { GatewayHome } from '../support/gateway-home.js';
import { whyNoWatch } from '../support/loop-watch.mjs';
import { assertNoLongTurn, WATCHED_GATEWAY } from '../support/watch.js';

const WATCH = new URL('../support/loop-watch.mjs', import.meta.url).href;

/**
 * Does `step` in a process that measures its event loop, and gives the turns that it found too long. The
 * process is stopped for `stoppedMs`.
 */
async function turnsOf(step: string, stoppedMs = 0): Promise<readonly number[]> {
  const program = `
    import { writeSync } from 'node:fs';
    import { watchLoop } from ${JSON.stringify(WATCH)};
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const work = (ms) => {
      const before = process.cpuUsage();
      for (let used = 0; used < ms * 1000;) {
        const { user, system } = process.cpuUsage(before);
        used = user + system;
      }
    };
    const turns = [];
    const { stop } = watchLoop((turn) => turns.push(turn.ms));
    await pause(50);
    const began = performance.now();
    writeSync(1, 'begins\\n');
    ${step};
    await pause(50);
    stop();
    writeSync(1, JSON.stringify(turns));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (said === '' && stoppedMs > 0) {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), stoppedMs);
    }
    said += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(said.split('\n')[1] ?? '') as number[];
}

describe.skipIf(whyNoWatch() !== undefined)('the watch over an event loop', () => {
  it('finds a turn that takes the processor for 300 ms', async () => {
    const turns = await turnsOf('work(320)');
    expect(turns).toHaveLength(1);
    expect(turns[0]).toBeGreaterThan(250);
  });

  it('finds work in promises, which no other callback interrupts', async () => {
    expect(
      await turnsOf('for (let n = 0; n < 8; n += 1) await Promise.resolve().then(() => work(45))'),
    ).toHaveLength(1);
  });

  it('does not find a process that sleeps in a turn', async () => {
    expect(await turnsOf('sleep(600)')).toEqual([]);
  });

  it('does not find as much work in several turns', async () => {
    const step = 'for (let n = 0; n < 6; n += 1) { work(60); await new Promise((go) => setImmediate(go)); }';
    expect(await turnsOf(step)).toEqual([]);
  });

  it('does not find a turn that lasts because others have the processor', async () => {
    // It goes on once it has not been let run for a while, and takes little of the processor until then.
    const step = `for (let last = began, gap = 0; gap < 300 && last < began + 20_000;) {
      sleep(1);
      gap = performance.now() - last;
      last += gap;
    }
    work(60)`;
    expect(await turnsOf(step, 500)).toEqual([]);
  });
});

describe.skipIf(whyNoWatch() !== undefined)('a gateway that is watched', () => {
  it('leaves a line for each turn that was too long, from when it listens on', async () => {
    const home = new GatewayHome();
    // Beside the gateway's own work, in its thread and not in the ledger's: long turns before and after it
    // listens. The processor time is that of both threads.
    const busy = `
      import { existsSync } from 'node:fs';
      import { isMainThread } from 'node:worker_threads';
      const work = (ms) => {
        const before = process.cpuUsage();
        // To ask for the time takes some itself, which is the system's.
        while (process.cpuUsage(before).user < ms * 1000) for (let n = 0; n < 1e6; n += 1);
      };
      const begin = () => {
        work(320);
        const look = setInterval(() => {
          if (!existsSync(${JSON.stringify(home.paths.socket)})) return;
          clearInterval(look);
          setTimeout(() => work(640), 200);
        }, 10);
      };
      if (isMainThread) begin();`;
    const words = ['--import', `data:text/javascript,${encodeURIComponent(busy)}`, WATCHED_GATEWAY];
    const gateway = spawn(process.execPath, [...words, '--home', home.paths.home], {
      cwd: '/',
      stdio: 'ignore',
    });
    const hasEnded = watchEnd(gateway.pid ?? 0);
    try {
      await eventually('the long turn is found', () => existsSync(join(home.root, 'long-turns')), 30_000);
    } finally {
      gateway.kill('SIGTERM');
      await eventually('the gateway ends', hasEnded);
    }
    expect(readFileSync(join(home.root, 'long-turns'), 'utf8').trim().split('\n')).toHaveLength(1);
    await expect(home.remove()).rejects.toThrow("a turn of the gateway's event loop took more than 200 ms");
  });
});

describe('a home whose gateway was watched', () => {
  it('fails its test when a turn was too long, with its length', () => {
    const root = mkdtempSync(join(tmpdir(), 'sub-w-'));
    try {
      expect(() => assertNoLongTurn(root)).not.toThrow();
      writeFileSync(join(root, 'long-turns'), '{"ms":312,"collectedMs":7}\n');
      expect(() => assertNoLongTurn(root)).toThrow(
        "a turn of the gateway's event loop took more than 200 ms of the processor: 312 ms (and 7 ms of collecting)",
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
