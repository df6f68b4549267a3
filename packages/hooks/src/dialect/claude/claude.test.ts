import { expect, test } from 'vitest';
import { claude } from './claude.js';

const COMMON = {
  session_id: 's-1',
  transcript_path: '/home/ada/.claude/projects/x.jsonl',
  cwd: '/srv/app',
  permission_mode: 'default',
};
const USE = { ...COMMON, tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' };
const SOURCE = { session: 's-1', agentId: undefined, agentType: undefined, cwd: '/srv/app' };

test('a tool that is about to be used is a call that begins', () => {
  expect(claude.read({ ...USE, hook_event_name: 'PreToolUse' })).toEqual({
    kind: 'begins',
    source: SOURCE,
    id: 'toolu_1',
    tool: { server: 'claude:builtin', name: 'Bash', isMcp: false, saysServer: true },
    input: { command: 'ls' },
    mode: 'default',
  });
});

test('a tool of an MCP server is named as that server and that tool', () => {
  const read = (name: string, server?: string) =>
    claude.read({
      ...USE,
      hook_event_name: 'PreToolUse',
      tool_name: name,
      ...(server === undefined ? {} : { mcp_server: { name: server, source: 'user' } }),
    });
  const tool = (server: string, name: string) => ({ tool: { server, name, isMcp: true } });
  expect(read('mcp__files__read_file')).toMatchObject(tool('files', 'read_file'));
  expect(read('mcp__my_files__read', 'my files')).toMatchObject(tool('my files', 'read'));
  expect(read('mcp__a__b__c', 'a__b')).toMatchObject(tool('a__b', 'c'));
  expect(read('mcp__a__b__c')).toMatchObject(tool('a', 'b__c'));
  expect(read('mcp__lonely')).toMatchObject({ tool: { server: 'claude:builtin', name: 'mcp__lonely' } });
});

test.each([
  ['PostToolUse', { tool_response: { stdout: 'a' } }, { status: 'OK', result: { stdout: 'a' } }],
  ['PostToolUseFailure', { error: 'Exit code 3' }, { status: 'ERROR', error: 'Exit code 3' }],
  ['PostToolUseFailure', { error: 'x', is_interrupt: true }, { status: 'CANCELLED' }],
  ['PostToolUseFailure', {}, { status: 'ERROR', error: 'the tool failed' }],
])('`%s` with %j ends a call', (event, more, expected) => {
  expect(claude.read({ ...USE, ...more, hook_event_name: event })).toMatchObject({
    kind: 'ends',
    id: 'toolu_1',
    ...expected,
  });
});

test.each([
  [
    'SessionStart',
    { source: 'resume', model: 'm' },
    { facts: { source: 'resume', model: 'm', permission_mode: 'default' }, closes: 'nothing' },
  ],
  ['SessionEnd', { reason: 'other' }, { facts: { reason: 'other' }, closes: 'session' }],
  [
    'Stop',
    { stop_hook_active: false, last_assistant_message: 'secret words' },
    { facts: { stop_hook_active: false }, closes: 'turn' },
  ],
  ['StopFailure', { error: 'overloaded' }, { facts: { error: 'overloaded' }, closes: 'turn' }],
  [
    'SubagentStart',
    { agent_id: 'a1', agent_type: 'Explore' },
    { facts: {}, source: { ...SOURCE, agentId: 'a1', agentType: 'Explore' } },
  ],
  [
    'SubagentStop',
    { agent_id: 'a1', stop_hook_active: true },
    { facts: { stop_hook_active: true }, closes: 'turn' },
  ],
  [
    'PermissionDenied',
    { tool_name: 'Bash', tool_use_id: 't', reason: 'no' },
    { id: 't', facts: { tool_name: 'Bash', reason: 'no' }, closes: 'call' },
  ],
  ['PreCompact', { trigger: 'auto', custom_instructions: 'words' }, { facts: { trigger: 'auto' } }],
  ['PostCompact', { trigger: 'manual', compact_summary: 'words' }, { facts: { trigger: 'manual' } }],
  [
    'PostModelSwitch',
    { from: 'a', to: 'b', reason: 'command' },
    { facts: { from: 'a', to: 'b', reason: 'command' } },
  ],
  [
    'ConfigChange',
    { source: 'user_settings', file_path: '/s' },
    { facts: { source: 'user_settings', file_path: '/s' } },
  ],
  ['CwdChanged', { old_cwd: '/a', new_cwd: '/b' }, { facts: { old_cwd: '/a', new_cwd: '/b' } }],
  [
    'InstructionsLoaded',
    { file_path: '/c', memory_type: 'project', load_reason: 'start' },
    { facts: { file_path: '/c', memory_type: 'project', load_reason: 'start' } },
  ],
  ['DirectoryAdded', { directory: '/d', source: 'flag' }, { facts: { directory: '/d', source: 'flag' } }],
  ['WorktreeRemove', { worktree_path: '/w' }, { facts: { worktree_path: '/w' } }],
])('`%s` is told with its facts and nobody’s words', (event, more, expected) => {
  const told = claude.read({ ...COMMON, ...more, hook_event_name: event });
  expect(told).toMatchObject({ kind: 'happened', event, ...expected });
  expect(JSON.stringify(told)).not.toContain('words');
});

test('a prompt is told as its hash and its length', () => {
  expect(claude.read({ ...COMMON, hook_event_name: 'UserPromptSubmit', prompt: 'grüße' })).toMatchObject({
    facts: {
      permission_mode: 'default',
      prompt: { sha256: '8285d1ad84c6b6e475d3b50dbf90389c8c7a07a278d9ae46d5698cbe872e3834', bytes: 7 },
    },
  });
});

test('a credential in a fact is taken out', () => {
  const told = claude.read({
    ...COMMON,
    hook_event_name: 'StopFailure',
    error: 'Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  });
  expect(JSON.stringify(told)).not.toContain('ghp_abc');
});

test.each([
  [{}],
  [{ hook_event_name: 'Nothing' }],
  [{ hook_event_name: 7 }],
  [{ hook_event_name: 'PreToolUse' }],
  [{ ...USE, hook_event_name: 'PreToolUse', tool_input: 'ls' }],
  [{ ...USE, hook_event_name: 'PreToolUse', tool_use_id: '' }],
  [{ ...USE, hook_event_name: 'PostToolUse', tool_name: null }],
  [{ hook_event_name: 'WorktreeCreate', name: 'w' }],
])('%j is no event that this client sends', (body) => {
  expect(claude.read(body)).toBeUndefined();
});

test('a notice is one of the sequences that it writes to its terminal, and a bell', () => {
  expect(claude.refuse('no', 'sub asks: why')).toEqual({
    ...claude.refuse('no'),
    terminalSequence: '\u001b]9;sub asks: why\u0007\u0007',
  });
});

test('its answers have the members of its schema and no others', () => {
  expect(claude.pass()).toEqual({});
  expect(claude.refuse('no')).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
    },
  });
});
