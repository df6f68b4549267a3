import { expect, it } from 'vitest';
import { processesWithToken, type ProcessTable } from './environ.js';

const TOKEN = 'token-of-the-test-0123';
const MARK = `SUB_UPSTREAM_TOKEN=${TOKEN}`;

function table(environments: Readonly<Record<number, string[]>>): ProcessTable {
  const reads = new Map<number, number>();
  return {
    pids: () => Object.keys(environments).map(Number),
    environment: (pid) => {
      const nth = reads.get(pid) ?? 0;
      reads.set(pid, nth + 1);
      const seen = environments[pid] ?? [];
      return (seen[Math.min(nth, seen.length - 1)] ?? '').split('\0');
    },
    identity: (pid) => ({ pid, start: '7' }),
  };
}

it('finds what carries exactly that token', () => {
  const found = processesWithToken(
    TOKEN,
    table({ 10: [`A=1\0${MARK}\0B=2`], 11: [`${MARK}x`], 12: [`A=${MARK}`], 13: [`X${MARK}`], 14: ['A=1'] }),
  );
  expect(found).toEqual([{ pid: 10, start: '7' }]);
});

it('does not take the process that got the number of one that ended for it', () => {
  expect(processesWithToken(TOKEN, table({ 10: [MARK, 'A=1'], 11: [MARK, MARK] }))).toEqual([
    { pid: 11, start: '7' },
  ]);
});
