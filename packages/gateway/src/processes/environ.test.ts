import { expect, it } from 'vitest';
import { TokenScan, type ProcessTable } from './environ.js';

const TOKEN = 'token-of-the-test-0123';
const MARK = `SUB_UPSTREAM_TOKEN=${TOKEN}`;

/** Processes by number, with what each look at their environment finds; the last stays. */
function table(environments: Readonly<Record<number, string[]>>): ProcessTable & { lists: number } {
  const reads = new Map<number, number>();
  const made = {
    lists: 0,
    pids: () => {
      made.lists += 1;
      return Object.keys(environments).map(Number);
    },
    environment: (pid: number) => {
      const nth = reads.get(pid) ?? 0;
      reads.set(pid, nth + 1);
      const seen = environments[pid] ?? [];
      return (seen[Math.min(nth, seen.length - 1)] ?? '').split('\0');
    },
    identity: (pid: number) => ({ pid, start: '7' }),
  };
  return made;
}

it('finds what carries exactly that token', async () => {
  const carriers = {
    10: [`A=1\0${MARK}\0B=2`],
    11: [`${MARK}x`],
    12: [`A=${MARK}`],
    13: [`X${MARK}`],
    14: ['A'],
  };
  expect(await new TokenScan(table(carriers)).processesWith(TOKEN)).toEqual([{ pid: 10, start: '7' }]);
});

it('does not take the process that got the number of one that ended for it', async () => {
  const scan = new TokenScan(table({ 10: [MARK, 'A=1'], 11: [MARK, MARK] }));
  expect(await scan.processesWith(TOKEN)).toEqual([{ pid: 11, start: '7' }]);
});

it('looks once for all who ask at the same time, and again for who asks later', async () => {
  const processes = table({ 10: [MARK], 11: [`${MARK}-2`] });
  const scan = new TokenScan(processes);
  const asked = [scan.processesWith(TOKEN), scan.processesWith(`${TOKEN}-2`), scan.processesWith('none')];
  expect((await Promise.all(asked)).map((found) => found.map(({ pid }) => pid))).toEqual([[10], [11], []]);
  // The second list tells that no process began meanwhile.
  expect(processes.lists).toBe(2);
  await scan.processesWith(TOKEN);
  expect(processes.lists).toBe(4);
});

it('gives way to others while it looks at many, and looks once for all who ask meanwhile', async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [at + 10, ['A=1']]));
  const processes = table({ ...many, 5000: [MARK] });
  const scan = new TokenScan(processes);
  let turns = 0;
  let isOver = false;
  const meanwhile: Promise<unknown>[] = [];
  const turn = (): void => {
    turns += 1;
    meanwhile.push(scan.processesWith(TOKEN));
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await scan.processesWith(TOKEN)).toEqual([{ pid: 5000, start: '7' }]);
  isOver = true;
  expect(turns).toBeGreaterThan(10);
  expect(new Set((await Promise.all(meanwhile)).map((found) => JSON.stringify(found))).size).toBe(1);
  expect(processes.lists).toBeLessThanOrEqual(6);
});

it('finds what a process left behind that began and ended while others were looked at', async () => {
  const pids = [10, 11];
  const scan = new TokenScan({
    pids: () => [...pids],
    environment: (pid) => {
      // The first one that is looked at forks, and is gone.
      if (pid === 10) pids.splice(0, 1, 12);
      return pid === 12 ? [MARK] : [];
    },
    identity: (pid) => ({ pid, start: '7' }),
  });
  expect(await scan.processesWith(TOKEN)).toEqual([{ pid: 12, start: '7' }]);
});
