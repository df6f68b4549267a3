import type { LedgerRow } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { annotation, annotations, violationLines } from './report.js';
import { Violations } from './violations.js';

/** An entry as a reader gives it. */
function row(type: LedgerRow['type'], more: Partial<LedgerRow> = {}): LedgerRow {
  return {
    seq: 1,
    leaf: '',
    ts: 1,
    type,
    code: null,
    runId: 'r',
    tool: ['files', 'rm'],
    ref: null,
    runIndex: 1,
    data: {},
    requestId: null,
    blobs: {},
    ...more,
  };
}

function decided(code: LedgerRow['code'], more: object = {}): LedgerRow {
  const decision = { rule_id: 'r1', explain: { reason_code: 'X', summary: 'no' }, ...more };
  return row('tool_call_decision', { code, data: { decision } });
}

function found(...rows: readonly LedgerRow[]): Violations {
  const violations = new Violations();
  for (const one of rows) violations.take(one);
  return violations;
}

it('a run reached the gateway once a server of it was behind it, or a hook was heard; a connection is neither', () => {
  expect(found(row('run_start'), row('upstream_end')).reached).toBe(false);
  expect(found(row('action_pending', { tool: 'net.connect' })).reached).toBe(false);
  expect(found(row('upstream_begin')).reached).toBe(true);
  expect(found(row('hook_event')).reached).toBe(true);
  expect(found(row('tool_call_start')).reached).toBe(true);
});

describe('a violation is', () => {
  it.each(['BLOCK', 'REJECT_WITH_HINT', 'TERMINATE_RUN'] as const)(
    'a call that was refused with %s',
    (code) => {
      expect(found(decided(code)).list).toEqual([
        { server: 'files', name: 'rm', what: code, rule: 'r1', code: 'X', reason: 'no', times: 1 },
      ]);
    },
  );

  it.each(['ALLOW', 'THROTTLE'] as const)('none with %s', (code) => {
    expect(found(decided(code)).total).toBe(0);
  });

  it('none where a policy in observe mode would have refused, which is counted apart', () => {
    const violations = found(decided('ALLOW', { shadow: 'BLOCK' }), decided('ALLOW', { shadow: 'THROTTLE' }));
    expect({ total: violations.total, shadows: violations.shadows }).toEqual({ total: 0, shadows: 1 });
  });

  it('a call that another policy refused after it was allowed', () => {
    const decision = { action: 'BLOCK', rule_id: 'r2', explain: { reason_code: 'Y', summary: 'not now' } };
    const end = row('tool_call_end', { code: 'ERROR', data: { decision } });
    expect(found(end).list[0]).toMatchObject({ what: 'BLOCK', rule: 'r2', reason: 'not now' });
    expect(found(row('tool_call_end', { code: 'ERROR' })).total).toBe(0);
  });

  it('tools that are held, not such as are only flagged', () => {
    expect(found(row('tools_held', { data: { mode: 'hold', count: 2 } })).list[0]).toMatchObject({
      what: 'HELD',
      reason: '2 of its tools are not as they were approved',
    });
    expect(found(row('tools_held', { data: { mode: 'flag', count: 2 } })).total).toBe(0);
  });

  it('a message that could not be judged, an action that was refused, a spool that is not believed', () => {
    const rows = [
      row('message_dropped', { data: { reason: 'batch' } }),
      row('action_rejected', {
        tool: 'service.api_call',
        data: { error: { code: 'not_allowed', message: 'm' } },
      }),
      row('spool_ingested', { code: 'error', tool: null, data: { reason: 'chain', server_name: 's' } }),
      row('spool_ingested', { code: 'success' }),
    ];
    expect(found(...rows).list.map(({ what, server, code }) => [what, server, code])).toEqual([
      ['DROPPED', 'files', 'batch'],
      ['REJECTED', '', 'not_allowed'],
      ['UNPROVEN', 's', 'chain'],
    ]);
  });
});

it('counts what is the same together, and bounds what an agent invents', () => {
  const many = Array.from({ length: 1500 }, (_, at) => ({
    ...decided('BLOCK'),
    tool: ['s', `t${at}`] as const,
  }));
  const violations = found(...many, decided('BLOCK'), ...many);
  expect(violations.total).toBe(3001);
  expect(violations.list).toHaveLength(1000);
  const lines = violationLines(violations);
  expect(lines[0]).toBe('sub: strict: 3001 violations');
  expect(lines[1]).toBe('  refused s/t0: rule r1: no (2 times)');
  expect(annotations(violations)).toHaveLength(10);
});

it('an annotation is escaped as the runner wants it', () => {
  const violation = {
    server: 'a,b',
    name: 'c:d',
    what: 'BLOCK',
    rule: '',
    code: 'X%',
    reason: 'l1\r\nl2',
    times: 1,
  };
  expect(annotation(violation)).toBe('::error title=refused a%2Cb/c%3Ad::refused a,b/c:d: X%25: l1\\r\\nl2');
});

it('a long reason is cut', () => {
  const violations = new Violations();
  violations.add({ server: 's', name: 't', what: 'BLOCK', rule: '', code: 'X', reason: '#'.repeat(100_000) });
  for (const line of [...violationLines(violations), ...annotations(violations)]) {
    expect(line.length).toBeLessThan(2500);
    expect(line).not.toContain('##');
  }
});

it('a call that its client made unjudged, or otherwise than it was judged, is a violation', () => {
  const told = (data: object): LedgerRow =>
    row('hook_event', { tool: ['claude:builtin', 'Bash'], data: { ...data } });
  const { list } = found(
    told({ hook: { event: 'PostToolUse', message: 'missing' } }),
    told({ facts: { input_changed: true } }),
    told({ facts: { unguarded_start: true } }),
    told({ facts: { status: 'SUCCESS' }, hook: { event: 'PostToolUse', linked: true } }),
    row('hook_event', { tool: null, data: { hook: { event: 'SessionStart' } } }),
  );
  expect(list.map(({ server, name, what, code }) => [server, name, what, code])).toEqual([
    ['claude:builtin', 'Bash', 'UNPROVEN', 'MESSAGE_MISSING'],
    ['claude:builtin', 'Bash', 'UNPROVEN', 'INPUT_CHANGED'],
    ['claude:builtin', 'Bash', 'UNPROVEN', 'UNGUARDED_START'],
  ]);
});
