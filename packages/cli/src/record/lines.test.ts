import type { JsonObject } from '@subluminal/core-types';
import type { CodeName, EntryType, LedgerRow } from '@subluminal/ledger';
import { recordJson, type CallRecord } from '@subluminal/records';
import { describe, expect, it } from 'vitest';
import { painter } from '../output/style.js';
import { nameOf, reasonOf, recordLine, shortReason } from './lines.js';

function row(seq: number, type: EntryType, code: CodeName | null, data: JsonObject): LedgerRow {
  const tool = ['files', 'read'] as const;
  const common = { leaf: 'a'.repeat(64), ts: 0, runId: 'R', tool, runIndex: seq, requestId: null, blobs: {} };
  return { ...common, seq, type, code, data, ref: seq === 1 ? null : seq - 1 };
}

function call(code: CodeName, status: CodeName, error: JsonObject | null): CallRecord {
  const decision = { rule_id: 'reads', explain: { reason_code: 'READ_ONLY', summary: 'reads are allowed' } };
  return {
    first: row(1, 'tool_call_start', null, {}),
    decision: row(2, 'tool_call_decision', code, { decision }),
    object: null,
    last: row(3, 'tool_call_end', status, { latency_ms: 3, ...(error === null ? {} : { error }) }),
  };
}

const ERROR = { class: 'upstream_error', message: 'the tool reported an error' };

describe('why', () => {
  it.each([
    ['an allowed call went well', call('ALLOW', 'OK', null), 'rule reads: reads are allowed'],
    ['an allowed call failed', call('ALLOW', 'ERROR', ERROR), 'upstream_error: the tool reported an error'],
    ['a call was refused', call('BLOCK', 'ERROR', ERROR), 'rule reads: reads are allowed'],
  ])('%s names what is to blame', (_name, record, reason) => {
    expect(reasonOf(record)).toBe(reason);
  });

  it('names the failure for programs, and still the rule that allowed', () => {
    expect(recordJson(call('ALLOW', 'ERROR', ERROR))).toMatchObject({
      decision: 'ALLOW',
      rule_id: 'reads',
      reason_code: 'upstream_error',
      summary: 'the tool reported an error',
    });
  });
});

it('a change of the allowlist names the place', () => {
  const changed = (entry: JsonObject): string => {
    const first = { ...row(1, 'action_pending', 'pending', {}), tool: 'allow.add' };
    const last = { ...row(2, 'action_result', 'success', { detail: { entry } }), tool: 'allow.add' };
    return nameOf({ first, decision: null, last, object: null });
  };
  const entry = { domain: 'api.example.com', port: 8443, allow_private: false };
  expect(changed(entry)).toBe('allow.add api.example.com:8443');
  expect(changed({ ...entry, port: null, allow_private: true })).toBe('allow.add api.example.com private');
});

it('a line is clipped to the terminal', () => {
  const record = call('ALLOW', 'ERROR', ERROR);
  const lineAt = (width: number) => recordLine(record, { paint: painter(false), width });
  expect(lineAt(80)).toHaveLength(80);
  expect(lineAt(80)).toMatch(/failed +files\.read +upstream_error.*…$/);
  expect(lineAt(Number.POSITIVE_INFINITY)).toMatch(/the tool reported an error {2}3ms$/);
});

it.each([
  [80, '.env', 'files.read .env'],
  [80, '/srv/shop/src/components/with/folders/index.test.tsx', 'files.read /srv/sh…est.tsx'],
  [120, '/srv/shop/src/components/with/folders/index.test.tsx', 'files.read /srv/shop/src/…index.test.tsx'],
])('a failed call has at %i columns room for the object `%s`', (width, object, shown) => {
  const record = { ...call('ALLOW', 'ERROR', ERROR), object };
  expect(recordLine(record, { paint: painter(false), width })).toContain(`failed     ${shown} `);
});

it('a file of the account is told by `~`, and another folder that begins alike is not', () => {
  const place = { facts: { readings: { place: { home: '/home/dev', tmp: '/tmp', project: null } } } };
  const decision = row(2, 'tool_call_decision', 'ALLOW', place);
  const line = (object: string): string =>
    recordLine({ ...call('ALLOW', 'OK', null), decision, object }, { paint: painter(false), width: 120 });
  expect(line('/home/dev/work/README.md')).toContain('files.read ~/work/README.md');
  expect(line('/home/device/README.md')).toContain('files.read /home/device/README.md');
});

it('a long name of a tool leaves room for its object, and its server goes first', () => {
  const first = { ...row(1, 'tool_call_start', null, {}), tool: ['files', 'read_text_file'] as const };
  const record = { ...call('BLOCK', 'ERROR', null), first, object: '/root/.aws/credentials' };
  const line = recordLine(record, { paint: painter(false), width: 80 });
  expect(line).toMatch(/refused +read_text… \/root\/\..*ials +reads: reads/);
});

it('a reason that has little room leaves out what every reason begins with', () => {
  expect(shortReason('rule reads: reads are allowed', 24)).toBe('reads: reads are allowed');
  expect(shortReason('rule reads: reads are allowed', 80)).toBe('rule reads: reads are allowed');
  expect(shortReason('rule of thumb', 30)).toBe('rule of thumb');
});
