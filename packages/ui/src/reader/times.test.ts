import type { CodeName, OutlineRow } from '@subluminal/ledger';
import { expect, it } from 'vitest';
import { Times } from './times.js';

type Reader = ConstructorParameters<typeof Times>[0];

/** A ledger of these entries. */
function outlineOf(entries: readonly OutlineRow[]): Reader['outline'] {
  return ({ after, decisions, span, types }) => {
    const seen = entries.slice(after, after + span);
    const isAsked = ({ type, code }: OutlineRow): boolean =>
      types.includes(type) || (type === 'tool_call_decision' && code !== null && decisions.includes(code));
    return { upto: seen.at(-1)?.seq ?? after, rows: seen.filter(isAsked) };
  };
}

const starts = (count: number): OutlineRow[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: index + 1,
    ts: index + 1,
    type: 'tool_call_start',
    code: null,
    runId: null,
  }));

it('counts the newest records where there are more than it keeps, and is done all the same', () => {
  const times = new Times({ outline: outlineOf(starts(3000)), entry: () => undefined }, 2048);
  while (!times.isDone(3000)) times.step(3000);
  const { all, partial } = times.histogram(1, 3000, 1, 3000);
  expect([all, partial]).toEqual([[2048], false]);
  expect(times.histogram(1, 952, 1, 3000).all).toEqual([0]);
});

it('counts entries that it hears of once each, and those of a gap when it reads them', () => {
  const entries = starts(100);
  const asked: number[] = [];
  const outline: Reader['outline'] = (question) => {
    asked.push(question.after);
    return outlineOf(entries)(question);
  };
  const times = new Times({ outline, entry: () => undefined });
  times.saw(11, entries.slice(10, 20));
  expect(times.isDone(20)).toBe(false);
  times.saw(1, entries.slice(0, 30));
  times.saw(21, entries.slice(20, 40));
  times.saw(5, entries.slice(4, 9));
  expect([times.isDone(40), times.isDone(41)]).toEqual([true, false]);
  times.step(100);
  expect(times.histogram(1, 100, 1, 100).all).toEqual([100]);
  expect(asked).toEqual([40]);
});

it('shows below the line of a run what was refused or hinted, and nothing that a person was asked about', () => {
  const decisions: readonly CodeName[] = ['ALLOW', 'BLOCK', 'REJECT_WITH_HINT', 'REJECT_WITH_HINT'];
  const calls = decisions.flatMap((code) => [
    { type: 'tool_call_start' as const, code: null },
    { type: 'tool_call_decision' as const, code },
  ]);
  const entries: OutlineRow[] = [{ type: 'run_start' as const, code: null }, ...calls].map((one, index) => ({
    ...one,
    seq: index + 1,
    ts: 5,
    runId: 'a',
  }));
  const asked = entries.length;
  const times = new Times({
    outline: outlineOf(entries),
    entry: (seq) =>
      ({ data: { decision: { hint: seq === asked ? { approval: { id: 'q' } } : {} } } }) as never,
  });
  times.step(asked);
  expect(times.sparks.of('a')).toEqual({ width_ms: 64, all: [4], refused: [2] });
  expect(times.histogram(1, 9, 1, asked)).toMatchObject({ all: [4], refused: [1], hinted: [2] });
});
