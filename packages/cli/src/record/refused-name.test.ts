import type { JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import {
  connectionCounts,
  connectionRows,
  countsText,
  hostTest,
  reachWay,
  recordJson,
  seenPlaces,
} from '@subluminal/records';
import { expect, it } from 'vitest';
import { painter } from '../output/style.js';
import { violationLines } from '../run/strict/report.js';
import { Violations } from '../run/strict/violations.js';
import { recordLine } from './lines.js';

const named = (seq: number, host: string, code = 'not_allowed'): LedgerRow => {
  const data: JsonObject = {
    action: 'net.name',
    stage: 'allowlist',
    facts: { host, port: 53, via: 'world', listed: false },
    error: { code, message: `\`${host}\` is not on the allowlist` },
  };
  const common = { leaf: 'a'.repeat(64), runIndex: seq, requestId: null, blobs: {}, ref: null, runId: 'R' };
  return {
    ...common,
    seq,
    ts: seq * 1000,
    type: 'action_rejected',
    code: 'rejected',
    tool: 'net.name',
    data,
  };
};
const record = (first: LedgerRow) => ({ first, object: null, decision: null, last: null });
/** A reader that has these entries, the newest first. */
const reader = (...rows: readonly LedgerRow[]) => ({
  size: rows.length,
  byAction: (action: string) => ({
    rows: rows.filter(({ tool }) => tool === action).toSorted((a, b) => b.seq - a.seq),
    next: null,
  }),
  holds: () => true,
  entry: (seq: number) => rows.find((one) => one.seq === seq),
});

it('a name that was refused to a world stands in its line and for programs', () => {
  const one = record(named(1, 'evil.example'));
  const plain = { paint: painter(false), width: Number.POSITIVE_INFINITY };
  expect(recordLine(one, plain)).toMatch(/refused +net\.name evil\.example +not_allowed: /);
  expect(recordJson(one)).toMatchObject({ action: 'net.name', destination: 'evil.example' });
});

it('a name that was refused is found by its host', () => {
  const untouched = (): never => {
    throw new Error('no call is read');
  };
  const fits = hostTest(
    { reader: new Proxy({} as LedgerReader, { get: untouched }), placeOf: untouched },
    'evil.*',
  );
  expect(fits(record(named(1, 'evil.example')), undefined)).toBe('yes');
  expect(fits(record(named(1, 'good.example')), undefined)).toBe('no');
});

it('the way on from a refused name is the entry of one port of it', () => {
  expect(reachWay(record(named(1, 'evil.example')))).toContain('`sub allow add evil.example:443`');
  expect(reachWay(record(named(1, "a';reboot")))).toBeUndefined();
});

it('a run counts the different names that were refused to it beside its connections', () => {
  const rows = [named(1, 'a.example'), named(2, 'a.example'), named(3, 'b.example')];
  const counts = connectionCounts(connectionRows(reader(...rows)), new Set(['R']), 0).get('R');
  expect(counts).toEqual({ total: 0, refused: 0, unlisted: 0, names: 2, isWhole: true });
  if (counts === undefined) throw new Error('nothing was counted');
  expect(countsText(counts)).toBe('2 names refused');
  expect(countsText({ ...counts, total: 1, refused: 1, names: 1 })).toBe(
    '1 connection (1 refused), 1 name refused',
  );
  expect(connectionCounts(connectionRows(reader(...rows)), new Set(['S']), 0).size).toBe(0);
});

it('what an allowlist is made from are the refused names, too, of which no port is known', () => {
  const rows = [named(1, 'a.example'), named(2, 'a.example'), named(3, 'b.example', 'not_available')];
  const { places, names } = seenPlaces(reader(...rows));
  expect(places).toEqual([]);
  expect([...names]).toEqual(['a.example']);
});

it('a strict run tells refused names apart', () => {
  const violations = new Violations();
  for (const one of [named(1, 'a.example'), named(2, 'b.example')]) violations.take(one);
  expect(violationLines(violations).join('\n')).toContain('refused net.name a.example: not_allowed');
  expect(violationLines(violations).join('\n')).toContain('refused net.name b.example: not_allowed');
});
