import { KINDS } from '@subluminal/ledger';
import { expect, it } from 'vitest';
import { Times } from './times.js';

it('counts the newest records where there are more than it keeps, and is done all the same', () => {
  const entries = Array.from({ length: 3000 }, (_, index) => ({
    seq: index + 1,
    ts: index + 1,
    kind: KINDS.tool_call_start,
    code: 0,
    runId: null,
  }));
  const times = new Times({ outline: (after, limit) => entries.slice(after, after + limit) }, 2048);
  while (!times.isDone(3000)) times.step(3000);
  const { all, partial } = times.histogram(1, 3000, 1, 3000);
  expect([all, partial]).toEqual([[2048], false]);
  expect(times.histogram(1, 952, 1, 3000).all).toEqual([0]);
});
