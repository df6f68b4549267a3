import {
  argsHash,
  type HookContextPayload,
  type HookEventPayload,
  type JsonObject,
  SublError,
} from '@subluminal/core-types';
import { type CallEnd, type ToolCall, UninspectedArgs, type Verdict } from '@subluminal/agent';
import { expect, test } from 'vitest';
import { claude } from '../dialect/claude/claude.js';
import { codex } from '../dialect/codex/codex.js';
import type { Dialect } from '../dialect/told.js';
import { HookSession } from './hook-session.js';

/** A gateway that remembers what it was asked, and answers by the name of the tool. */
function world(
  more: {
    whenAway?: 'block' | 'pass';
    routes?: readonly string[];
    maxInspectBytes?: number;
    isTold?: boolean;
    dialect?: Dialect;
    text?: () => string | undefined;
  } = {},
) {
  const asked: ToolCall[] = [];
  const ends: [string, CallEnd][] = [];
  const events: HookEventPayload[] = [];
  const contexts: HookContextPayload[] = [];
  const clock = { now: 0 };
  const asks = (call: ToolCall): Verdict => {
    const verdict = refused(call, 'APPROVAL_REQUIRED');
    if (verdict.decision === 'ALLOW') throw new Error('it is refused');
    const approval = { id: call.tool_name, expires_at: '2026-01-01T00:00:00.000Z' };
    const hint = {
      hint_text: 'wait',
      suggested_args: null,
      retry_advice: null,
      hint_kind: 'SAFETY',
      approval,
    };
    const summary = 'pushes\u001b]0;x\u0007 are asked about';
    return { ...verdict, details: { ...verdict.details, summary, hint } } as Verdict;
  };
  const refused = (call: ToolCall, reason: string): Verdict => ({
    decision: 'BLOCK',
    call_id: `call-${asked.length}`,
    run_id: 'r',
    details: {
      action: 'BLOCK',
      rule_id: null,
      severity: 'warn',
      reason_code: reason,
      summary: `no ${call.tool_name}`,
    },
    policy: { policy_id: '', policy_version: '', policy_hash: '' },
    args_hash: '',
    audit_ref: undefined,
    ends_session: false,
  });
  const session = new HookSession({
    dialect: more.dialect ?? claude,
    gateway: {
      core: {
        decide: (call) => {
          asked.push(call);
          if (call.tool_name === 'Refused') return Promise.resolve(refused(call, 'BLOCKED'));
          if (call.tool_name.startsWith('Asked')) return Promise.resolve(asks(call));
          if (call.tool_name === 'Late') return Promise.resolve(refused(call, 'TIMED_OUT'));
          if (call.tool_name === 'Away') return Promise.resolve(refused(call, 'GATEWAY_UNREACHABLE'));
          return Promise.resolve({ decision: 'ALLOW', call_id: `call-${asked.length}` });
        },
        end: (id, end) => void ends.push([id, end]),
      },
      tell: (event) => {
        events.push(event);
        return event.event === 'Stop'
          ? Promise.reject(new SublError('gateway_unreachable', 'gone'))
          : Promise.resolve();
      },
      context: (of) => {
        contexts.push(of);
        return Promise.resolve({ steers: more.text !== undefined, text: more.text?.() });
      },
      routes: () => Promise.resolve(more.routes ?? []),
    },
    whenAway: () => more.whenAway ?? 'pass',
    tellsTerminal: () => more.isTold ?? true,
    maxInspectBytes: () => more.maxInspectBytes ?? 1000,
    monotonic: () => clock.now,
    log: () => undefined,
  });
  const say = (event: string, members: JsonObject = {}) =>
    session.answer({ session_id: 's', cwd: '/w', hook_event_name: event, ...members }, 100);
  const use = (event: string, id: string, tool = 'Bash', members: JsonObject = {}) =>
    say(event, { tool_use_id: id, tool_name: tool, tool_input: { command: 'ls' }, ...members });
  return { asked, clock, contexts, ends, events, say, use, session };
}

test('a call that is decided too late is refused, also where one without a gateway passes', async () => {
  const { use } = world({ whenAway: 'pass' });
  expect(await use('PreToolUse', 't1', 'Away')).toEqual({});
  expect(await use('PreToolUse', 't2', 'Late')).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny' },
  });
});

test('a call is asked for with what the client says of it, and ended when the client says so', async () => {
  const { asked, ends, use } = world();
  expect(await use('PreToolUse', 't1', 'Bash', { agent_id: 'a1', agent_type: 'Explore' })).toEqual({});
  expect(asked).toMatchObject([
    {
      server_name: 'claude:builtin',
      tool_name: 'Bash',
      args: { command: 'ls' },
      transport: 'unknown',
      via: 'claude_hook',
      cwd: '/w',
      call_context: { tool_use_id: 't1', session: 's', agent_id: 'a1', agent_type: 'Explore' },
    },
  ]);
  await use('PostToolUse', 't1', 'Bash', { tool_response: { stdout: 'x' } });
  expect(ends).toMatchObject([['call-1', { status: 'OK', preview: { result_preview: '{"stdout":"x"}' } }]]);
});

test('a refusal is the answer of the client’s own schema, with the reason', async () => {
  const { use, ends } = world();
  expect(await use('PreToolUse', 't1', 'Refused')).toEqual(claude.refuse('blocked by policy: no Refused'));
  await use('PostToolUse', 't1', 'Refused');
  expect(ends).toEqual([]);
});

test('a question is shown in the terminal of the client once, and the next ones together', async () => {
  const { clock, use } = world();
  const shown = async (tool: string): Promise<unknown> =>
    (await use('PreToolUse', tool, tool))?.['terminalSequence'];
  const words = (more = '') => `\u001b]9;sub asks${more}: pushes ]0;x  are asked about\u0007\u0007`;
  expect(await shown('Asked1')).toBe(words());
  clock.now = 9999;
  for (const tool of ['Asked1', 'Asked2', 'Asked3', 'Refused']) expect(await shown(tool)).toBeUndefined();
  clock.now = 10_000;
  for (const tool of ['Asked1', 'Asked2']) expect(await shown(tool)).toBeUndefined();
  expect(await shown('Asked4')).toBe(words(' (and 2 more)'));
});

test('a question is not shown in the terminal where the operator wants no notices', async () => {
  const { use } = world({ isTold: false });
  expect(Object.keys((await use('PreToolUse', 't1', 'Asked1')) ?? {})).toEqual(['hookSpecificOutput']);
});

test.each([
  ['pass', {}],
  ['block', claude.refuse('blocked by policy: no Away')],
] as const)('without a gateway a call goes as `%s` says', async (whenAway, answer) => {
  expect(await world({ whenAway }).use('PreToolUse', 't1', 'Away')).toEqual(answer);
});

test('a call of a server whose messages pass the gateway is told and not asked for', async () => {
  const { asked, events, use } = world({ routes: ['my files'] });
  const mcp = { mcp_server: { name: 'my files', source: 'user' } };
  expect(await use('PreToolUse', 't1', 'mcp__my_files__read', mcp)).toEqual({});
  await use('PostToolUse', 't1', 'mcp__my_files__read', mcp);
  expect(asked).toEqual([]);
  expect(events.map(({ event, linked, tool_use_id: id }) => [event, linked, id])).toEqual([
    ['PreToolUse', true, 't1'],
    ['PostToolUse', true, 't1'],
  ]);
});

test('a call of a server that goes past the gateway is asked for', async () => {
  const { asked, use } = world({ routes: ['files'] });
  await use('PreToolUse', 't1', 'mcp__other__read');
  expect(asked).toMatchObject([{ server_name: 'other', tool_name: 'read' }]);
});

test.each([
  [
    'has a name that is spelled alike',
    'mcp__my_files__read',
    { mcp_server: { name: 'my_files', source: 'project' } },
  ],
  ['may have a name with `__` in it', 'mcp__my_files__more__read', {}],
])('a call of a server that %s is asked for', async (_name, tool, members) => {
  const { asked, use } = world({ routes: ['my files'] });
  await use('PreToolUse', 't1', tool, members);
  expect(asked).toHaveLength(1);
});

test('what another hook has changed behind the decision is told', async () => {
  const { events, ends, use } = world();
  await use('PreToolUse', 't1');
  await use('PostToolUse', 't1', 'Bash', { tool_input: { command: 'rm x' } });
  const hash = argsHash({ command: 'rm x' });
  expect(events).toMatchObject([{ event: 'PostToolUse', facts: { input_changed: true, args_hash: hash } }]);
  expect(ends).toHaveLength(1);
});

test('a call whose end is never told ends with its turn, and with its session', async () => {
  const { ends, say, use } = world();
  await use('PreToolUse', 't1');
  await use('PreToolUse', 't2', 'Bash', { agent_id: 'a1' });
  await use('PreToolUse', 't3', 'Bash', { session_id: 'other' });
  await say('Stop');
  expect(ends.map(([id, { status }]) => [id, status])).toEqual([['call-1', 'CANCELLED']]);
  await say('SessionEnd');
  expect(ends.map(([id]) => id)).toEqual(['call-1', 'call-2']);
});

test('a call that the client’s own permissions refuse has ended', async () => {
  const { ends, say, use } = world();
  await use('PreToolUse', 't1');
  await say('PermissionDenied', { tool_use_id: 't1', tool_name: 'Bash', reason: 'no' });
  expect(ends).toMatchObject([['call-1', { status: 'CANCELLED' }]]);
});

test('the same id once more is another call, and the first one is given up', async () => {
  const { asked, ends, use } = world();
  await use('PreToolUse', 't1');
  await use('PreToolUse', 't1');
  expect(asked).toHaveLength(2);
  expect(ends.map(([id]) => id)).toEqual(['call-1']);
});

test('an end without a call is told, and ends nothing', async () => {
  const { ends, events, use } = world();
  await use('PostToolUse', 'unknown');
  expect(ends).toEqual([]);
  expect(events).toMatchObject([{ event: 'PostToolUse', tool_use_id: 'unknown', facts: { status: 'OK' } }]);
});

test('of more open calls than it keeps the oldest is given up', async () => {
  const { ends, use } = world();
  for (let at = 0; at < 513; at += 1) await use('PreToolUse', `t${at}`);
  expect(ends.map(([id]) => id)).toEqual(['call-1']);
});

test('an input that is too large is asked for by its hash and its keys', async () => {
  const { asked, use } = world({ maxInspectBytes: 10 });
  await use('PreToolUse', 't1');
  expect(asked[0]?.args).toBeInstanceOf(UninspectedArgs);
  expect(asked[0]?.args).toMatchObject({ argKeys: ['command'], streamHash: argsHash({ command: 'ls' }) });
});

test('an event that is not recorded keeps nobody waiting, and is no error', async () => {
  const { say } = world();
  expect(await say('Stop')).toEqual({});
  expect(await say('Nonsense')).toBeUndefined();
});

test('a call that Codex made before its hook could be asked is told as such, and no other', async () => {
  const { events, use } = world({ dialect: codex, whenAway: 'pass' });
  const ends = { tool_response: 'x' };
  await use('PostToolUse', 't0', 'Bash', ends);
  await use('PreToolUse', 't1', 'Away');
  await use('PostToolUse', 't1', 'Away', ends);
  expect(events.map(({ tool_use_id: id, facts }) => [id, facts['unguarded_start']])).toEqual([
    ['t0', true],
    ['t1', undefined],
  ]);
  const waits = world();
  await waits.use('PostToolUse', 't0', 'Bash', ends);
  expect(waits.events.map(({ facts }) => facts['unguarded_start'])).toEqual([undefined]);
});

test.each([claude, codex])(
  'a text that waits goes back with the end of a call, and with a prompt',
  async (dialect) => {
    const texts = ['one', 'two'];
    const { contexts, say, use } = world({ dialect, text: () => texts.shift() });
    expect(await use('PreToolUse', 't1')).toEqual({});
    expect(await use('PostToolUse', 't1', 'Bash', { agent_id: 'helper' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'one' },
    });
    expect(await say('Stop')).toEqual({});
    expect(await say('UserPromptSubmit', { prompt: 'go on' })).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'two' },
    });
    expect(await use('PostToolUse', 't2')).toEqual({});
    expect(contexts).toEqual([
      { via: dialect.via, session_id: 's', agent_id: 'helper', tool_use_id: 't1', status: 'OK' },
      { via: dialect.via, session_id: 's' },
      { via: dialect.via, session_id: 's', tool_use_id: 't2', status: 'OK' },
    ]);
  },
);

test('a gateway that tells nobody anything is asked again only after ten seconds', async () => {
  const { clock, contexts, use } = world();
  for (const at of [0, 1, 9_999, 10_000, 10_001]) {
    clock.now = at;
    expect(await use('PostToolUse', `t${at}`)).toEqual({});
  }
  expect(contexts.map(({ tool_use_id: id }) => id)).toEqual(['t0', 't10000']);
});
