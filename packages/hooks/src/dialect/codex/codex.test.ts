import { expect, test } from 'vitest';
import { codex } from './codex.js';
import { CODEX_INPUTS } from './inputs.js';

/** An event as Codex hands it over: the input of its hook, each `${NAME}` replaced. */
function handed(event: string, members: Readonly<Record<string, unknown>>): Record<string, never> {
  const input = CODEX_INPUTS.get(event) ?? {};
  const pairs = Object.entries(input).map(([name, value]) => [
    name,
    value.startsWith('${') ? members[value.slice(2, -1)] : value,
  ]);
  return Object.fromEntries(pairs) as Record<string, never>;
}

const MEMBERS = {
  session_id: 's',
  turn_id: 't',
  cwd: '/srv/app',
  permission_mode: 'bypassPermissions',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'call_1',
  tool_response: 'a\n',
  prompt: 'words',
  source: 'startup',
  model: 'gpt',
  agent_id: 'a1',
  agent_type: 'worker',
  stop_hook_active: false,
  trigger: 'auto',
};

test.each([
  [
    'PreToolUse',
    {
      kind: 'begins',
      id: 'call_1',
      tool: { server: 'codex:builtin', name: 'Bash' },
      input: { command: 'ls' },
      mode: 'bypassPermissions',
    },
  ],
  ['PostToolUse', { kind: 'ends', id: 'call_1', status: 'OK', result: 'a\n' }],
  ['SessionStart', { kind: 'happened', facts: { source: 'startup', model: 'gpt' }, closes: 'nothing' }],
  ['UserPromptSubmit', { kind: 'happened', facts: { prompt: { bytes: 5 } } }],
  ['SubagentStart', { kind: 'happened', source: { agentId: 'a1', agentType: 'worker' } }],
  ['SubagentStop', { kind: 'happened', closes: 'turn', source: { agentId: 'a1' } }],
  ['PreCompact', { kind: 'happened', facts: { trigger: 'auto' } }],
  ['PostCompact', { kind: 'happened', facts: { trigger: 'auto' } }],
  ['Stop', { kind: 'happened', closes: 'turn', facts: { stop_hook_active: false } }],
])('what its hook for `%s` hands over is read', (event, expected) => {
  const told = codex.read(handed(event, MEMBERS));
  expect(told).toMatchObject({ source: { session: 's', cwd: '/srv/app' }, ...expected });
  expect(JSON.stringify(told)).not.toContain('words');
});

test('a tool of an MCP server is named as that server and that tool', () => {
  expect(codex.read(handed('PreToolUse', { ...MEMBERS, tool_name: 'mcp__files__read_file' }))).toMatchObject({
    tool: { server: 'files', name: 'read_file', isMcp: true },
  });
});

test.each([[{}], [{ hook_event_name: 'Interrupt' }], [{ hook_event_name: 'PreToolUse', tool_input: {} }]])(
  '%j is no event that its hooks hand over',
  (body) => {
    expect(codex.read(body)).toBeUndefined();
  },
);

test('a refusal has a reason and not one member more than its schema', () => {
  expect(codex.refuse('no')).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
    },
  });
  expect(codex.pass()).toEqual({});
});

test.each([
  [null, {}],
  [[1], { input: [1] }],
  ['ls', { input: 'ls' }],
])('a call whose arguments are %j is judged all the same', (said, input) => {
  const body = { hook_event_name: 'PreToolUse', tool_use_id: 'c1', tool_name: 'mcp__a__b', tool_input: said };
  expect(codex.read(body)).toMatchObject({ kind: 'begins', input });
});
