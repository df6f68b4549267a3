import type { JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { policyParts } from './policy-parts.js';
import { ruleCounts } from './rule-counts.js';

const SHOP = '/srv/shop/.subluminal.yaml';
const OLD = '/srv/old/.subluminal.yaml';

function loaded(seq: number, id: string, version: string, more: JsonObject, runId: string | null): object {
  const policy = { policy_id: id, policy_version: version, policy_hash: `${id}-${version}` };
  return { seq, ts: seq, type: 'policy_loaded', runId, blobs: {}, data: { policy, ...more } };
}

/** A ledger with these entries, newest first. */
function ledger(rows: readonly object[]): LedgerReader {
  const byType = (type: string) => ({
    rows: rows.filter((row) => (row as { readonly type: string }).type === type),
    next: null,
  });
  return { byType, byTypeSince: byType } as unknown as LedgerReader;
}

const POLICY: JsonObject = {
  policy_id: 'limits',
  policy_version: '2',
  policy_hash: 'limits-2',
  mode: 'control',
  source: 'file',
  bundle: { rules: [{ rule_id: 'pushes', kind: 'ask' }] },
  projects: [
    {
      file: SHOP,
      state: 'changed',
      policy: { policy_id: 'shop', policy_version: '3', policy_hash: 'shop-3', mode: 'guardrails' },
    },
  ],
};

describe('the policies of a home', () => {
  it('are told apart: each one in force with versions that are its own', () => {
    const reader = ledger([
      loaded(9, 'shop', '3', { source: 'project', file: SHOP, ended: true }, 'r-2'),
      loaded(8, 'limits', '2', { source: 'home' }, 'r-2'),
      loaded(7, 'limits', '2', { source: 'file' }, null),
      loaded(6, 'shop', '3', { source: 'project', file: SHOP }, 'r-2'),
      loaded(5, 'shop', '3', { source: 'project', file: SHOP }, 'r-1'),
      loaded(4, 'old', '1', { source: 'project', file: OLD }, 'r-1'),
      loaded(3, 'shop', '2', { source: 'project', file: SHOP }, 'r-1'),
      loaded(2, 'limits', '1', { source: 'file' }, null),
    ]);
    const counts = ruleCounts(reader, 0, () => 0);
    const parts = policyParts(reader, POLICY, '/home/policy.yaml', counts);
    expect(
      parts.map(({ from, id, now, of, versions }) => [
        of,
        id,
        from,
        now?.version ?? null,
        versions.map(({ hash, seq }) => `${seq} ${hash}`),
      ]),
    ).toEqual([
      ['home', 'limits', '/home/policy.yaml', '2', ['7 limits-2', '2 limits-1']],
      ['project', 'shop', SHOP, '3', ['5 shop-3', '3 shop-2']],
      ['project', 'old', OLD, null, ['4 old-1']],
    ]);
    expect(parts[1]?.now?.file).toBe('changed');
    expect(parts[1]?.text).toBeNull();
  });

  it('count what a rule asked apart from what it refused, and how the questions ended', () => {
    const asked = (seq: number, id: string, more: JsonObject = {}): object => ({
      seq,
      ts: seq,
      type: 'tool_call_decision',
      code: 'REJECT_WITH_HINT',
      runId: 'r-1',
      data: { decision: { rule_id: 'pushes', hint: { approval: { id } } }, ...more },
    });
    const answer = (type: string, id: string, more: JsonObject = {}): object => ({
      seq: 20,
      ts: 20,
      type,
      runId: null,
      data: { question: { id, ...more } },
    });
    const reader = ledger([
      answer('approval_granted', 'q-1'),
      answer('approval_denied', 'q-2'),
      answer('approval_denied', 'q-3', { closed: 'run_ended' }),
      { ...asked(9, ''), code: 'BLOCK', data: { decision: { rule_id: 'pushes' } } },
      ...[1, 2, 3, 4].map((one) => asked(one, `q-${one}`)),
      asked(10, 'q-5', { facts: { policies: { by: 'project', project: { file: SHOP } } } }),
    ]);
    const counts = ruleCounts(reader, 0, () => 0);
    const [home] = policyParts(reader, POLICY, '/home/policy.yaml', counts);
    expect(home?.rules).toEqual([
      {
        id: 'pushes',
        kind: 'ask',
        enabled: true,
        hits: 5,
        how: 'asked 4: 1 approved, 1 denied, 1 lapsed, 1 open; refused 1',
      },
    ]);
    expect(counts.of(`project ${SHOP}`, 'pushes')).toMatchObject({ hits: 1, asked: 1 });
  });
});
