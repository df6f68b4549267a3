import { expect, it } from 'vitest';
import { TokenScan, type ProcessTable } from './environ.js';

const TOKEN = 'token-of-the-test-0123';
const MARK = `SUB_UPSTREAM_TOKEN=${TOKEN}`;

/** Processes by number, with what each look at their environment finds; the last stays. */
function table(environments: Readonly<Record<number, string[]>>): ProcessTable & { looks: number } {
  const reads = new Map<number, number>();
  const made = {
    looks: 0,
    pids: () => {
      made.looks += 1;
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
  expect(processes.looks).toBe(1);
  await scan.processesWith(TOKEN);
  expect(processes.looks).toBe(2);
});
