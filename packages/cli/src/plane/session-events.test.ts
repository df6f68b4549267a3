import type { JsonObject } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { EXPIRED, type SessionStep } from '@subluminal/records';
import { describe, expect, it } from 'vitest';
import { foldSession } from './fold-session.js';
import { agentEventOf, viaOf } from './session-events.js';

const row = (more: Partial<LedgerRow>): LedgerRow => ({
  seq: 7,
  leaf: '',
  ts: 1_700_000_000_000,
  type: 'hook_event',
  code: null,
  runId: 'run',
  tool: null,
  ref: null,
  runIndex: 1,
  data: {},
  requestId: null,
  blobs: {},
  ...more,
});

function called(
  tool: readonly [string, string],
  object: string | null,
  { code, ...call }: { readonly code?: 'ERROR' | 'OK' } & JsonObject = {},
): SessionStep {
  const first = row({ type: 'tool_call_start', tool, data: { call } });
  const last = code === undefined ? null : row({ type: 'tool_call_end', code });
  return { record: { first, decision: null, last, object } };
}

const told = (event: string, facts: JsonObject = {}): SessionStep => ({
  event: row({ data: { hook: { event, via: 'claude_hook' }, facts } }),
});

const noForm = () => undefined;

describe('a step of a session', () => {
  it('that is a call is an action, with its object, its end, its folder and its subagent', () => {
    const step = called(['claude:builtin', 'Bash'], 'npm test', {
      code: 'ERROR',
      via: 'claude_hook',
      cwd: '/srv/app',
      context: { agent_id: 'helper' },
    });
    expect(viaOf(step)).toBe('claude_hook');
    expect(agentEventOf(step, noForm)).toEqual({
      agent: 'helper',
      cwd: '/srv/app',
      event: {
        kind: 'action',
        id: '7',
        atMs: 1_700_000_000_000,
        tool: 'Bash',
        target: 'npm test',
        status: 'failed',
        isProtected: false,
        repository: '/srv/app',
        form: undefined,
      },
    });
  });

  it('that a rule of the policy gave the class `protected` is protected', () => {
    const step = called(['claude:builtin', 'Bash'], 'deploy', { tags: ['write_like', 'protected'] });
    expect(agentEventOf(step, noForm)).toMatchObject({ event: { isProtected: true } });
  });

  it('of a server has the name that clients give its tool', () => {
    const step = called(['files', 'read_file'], 'a/b.ts', { code: 'OK' });
    expect(agentEventOf(step, noForm)).toMatchObject({
      event: { tool: 'mcp__files__read_file', status: 'ok' },
    });
  });

  it('of Codex, and one that has not ended, has no status', () => {
    const codex = called(['codex:builtin', 'Bash'], 'npm test', { code: 'OK', via: 'codex_hook' });
    expect(agentEventOf(codex, noForm)).toMatchObject({ event: { status: undefined } });
    expect(agentEventOf(called(['files', 'read'], 'a'), noForm)).toMatchObject({
      event: { status: undefined },
    });
  });

  it('whose preview has expired has no target, so that four of them are no loop', () => {
    const steps = Array.from({ length: 8 }, () =>
      called(['claude:builtin', 'Bash'], EXPIRED, { code: 'OK' }),
    );
    expect(agentEventOf(called(['claude:builtin', 'Bash'], EXPIRED), noForm)).toMatchObject({
      event: { target: undefined },
    });
    const folded = [...foldSession({ session: 's', runId: 'run', steps }, 'ledger', noForm)];
    expect(folded.filter(({ entry }) => entry.type === 'plane.boundary')).toEqual([]);
  });

  it.each([
    ['SessionStart', { source: 'startup' }, 'started'],
    ['SessionStart', { source: 'resume' }, 'resumed'],
    ['UserPromptSubmit', {}, 'prompted'],
    ['PostCompact', {}, 'compacted'],
    ['Stop', {}, 'stopped'],
    ['SubagentStart', {}, 'subagent_started'],
    ['SubagentStop', {}, 'subagent_stopped'],
    ['SessionEnd', {}, 'ended'],
  ] as const)('%s with %j is of the life of a client: %s', (event, facts, what) => {
    expect(agentEventOf(told(event, facts), noForm)).toMatchObject({
      agent: '',
      event: { kind: 'life', what },
    });
  });

  it.each(['TaskCreated', 'TaskCompleted', 'ConfigChange', 'PreToolUse'])('%s is not looked at', (event) => {
    expect(agentEventOf(told(event), noForm)).toBeUndefined();
  });
});
