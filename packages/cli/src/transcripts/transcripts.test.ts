import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BOUNDS, type Bounds, type LeftOut } from './bounds.js';
import { claudeReader } from './claude.js';
import { codexReader } from './codex.js';
import type { MadeCall } from './made-call.js';
import { madeCalls, type TranscriptClient } from './transcripts.js';

const TS = '2026-01-31T12:00:00.000Z';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-sessions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, ...lines: readonly (object | string)[]): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return path;
}

function read(client: TranscriptClient, bounds: Partial<Bounds> = {}, sinceMs = 0) {
  const left: LeftOut = { files: 0, bad: 0, long: 0, bytes: 0 };
  const calls: MadeCall[] = [];
  for (const step of madeCalls(client, folder, sinceMs, { ...BOUNDS, ...bounds }, left))
    if (step.what === 'call') calls.push(step.call);
  return { calls, left };
}

/** A line of Claude Code as it writes it, with what the readers have no use for. */
const said = (id: string, name: string, input: unknown, more: object = {}): object => ({
  parentUuid: null,
  isSidechain: false,
  message: {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'tool_use',
    usage: { input_tokens: 10 },
    content: [
      { type: 'text', text: 'words of the model' },
      { type: 'tool_use', id, name, input },
    ],
  },
  type: 'assistant',
  uuid: id,
  timestamp: TS,
  cwd: '/src/shop',
  sessionId: 's',
  version: '2.1.329',
  gitBranch: 'main',
  ...more,
});
const item = (payload: object): object => ({
  timestamp: TS,
  ordinal: 1,
  type: 'response_item',
  payload,
  metadata: { history_sequence: 1 },
});

describe('the session files of Claude Code', () => {
  it('give the calls of the session and of its subagents, each once', () => {
    const bash = said('toolu_1', 'Bash', { command: 'ls', description: 'x' });
    write(
      '-work-shop/one.jsonl',
      { type: 'queue-operation', operation: 'enqueue', timestamp: TS, content: '"tool_use"' },
      {
        type: 'user',
        message: { role: 'user', content: 'say "tool_use"' },
        timestamp: TS,
        cwd: '/src/shop',
      },
      bash,
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
        timestamp: TS,
      },
      said('toolu_2', 'mcp__files__read_file', { path: 'a' }),
    );
    write('-work-shop/two.jsonl', bash, said('toolu_3', 'Write', { file_path: '/x', content: 'y' }));
    write('-work-shop/one/subagents/agent-a.jsonl', said('toolu_4', 'Read', { file_path: '/x' }));
    const { calls, left } = read('claude');
    expect(calls.map(({ server, tool, args }) => [server, tool, Object.keys(args)])).toEqual(
      expect.arrayContaining([
        ['claude:builtin', 'Bash', ['command', 'description']],
        ['files', 'read_file', ['path']],
        ['claude:builtin', 'Write', ['file_path', 'content']],
        ['claude:builtin', 'Read', ['file_path']],
      ]),
    );
    expect(calls).toHaveLength(4);
    expect(calls[0]).toMatchObject({ cwd: '/src/shop', ts: Date.parse(TS) });
    expect(left).toEqual({ files: 0, bad: 0, long: 0, bytes: 0 });
  });

  it('are read past lines that are damaged, and these are counted', () => {
    write(
      'p/one.jsonl',
      'no json at all',
      '{"type":"assistant","message":{"content":[{"type":"tool_use"',
      '{"type":"assistant","message":{"content":[{"type":"tool_use",]}}',
      said('a', 'Bash', 'no object'),
      said('b', '', {}),
      said('c', 'Bash', { command: 'ls' }),
      '',
    );
    const { calls, left } = read('claude');
    expect(calls.map(({ id }) => id)).toEqual(['c']);
    expect(left.bad).toBe(5);
  });
});

describe('the session files of Codex', () => {
  it('give calls as its hooks tell them', () => {
    write(
      '2026/01/31/rollout-2026-01-31T12-00-00-id.jsonl',
      { timestamp: TS, ordinal: 0, type: 'session_meta', payload: { id: 'i', cwd: '/src/shop', git: {} } },
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: '"function_call"' }] }),
      item({
        type: 'function_call',
        name: 'exec_command',
        arguments: '{"cmd":"ls","workdir":"/tmp"}',
        call_id: '1',
      }),
      { timestamp: TS, type: 'turn_context', payload: { cwd: '/src/other' } },
      item({
        type: 'function_call',
        name: 'shell',
        arguments: '{"command":["bash","-lc","rm x"]}',
        call_id: '2',
      }),
      item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: '3' }),
      item({
        type: 'local_shell_call',
        call_id: '4',
        action: { type: 'exec', command: ['git', 'push'], working_directory: '/srv' },
      }),
      item({
        type: 'function_call',
        name: 'echo',
        namespace: 'mcp__everything__',
        arguments: '{"m":1}',
        call_id: '5',
      }),
      item({ type: 'function_call', name: 'mcp__files__read', arguments: '{}', call_id: '6' }),
      item({ type: 'function_call', name: 'update_plan', arguments: '{}', call_id: '7' }),
      item({ type: 'function_call', name: 'broken', arguments: '{"a":', call_id: '8' }),
      item({ type: 'function_call_output', call_id: '1', output: 'x' }),
    );
    write(
      '2026/01/31/other.jsonl',
      item({ type: 'function_call', name: 'x', arguments: '{}', call_id: '9' }),
    );
    const { calls, left } = read('codex');
    expect(calls.map(({ server, tool, args, cwd }) => [server, tool, args, cwd])).toEqual([
      ['codex:builtin', 'Bash', { command: 'ls' }, '/tmp'],
      ['codex:builtin', 'Bash', { command: 'rm x' }, '/src/other'],
      ['codex:builtin', 'apply_patch', { command: '*** Begin Patch' }, '/src/other'],
      ['codex:builtin', 'Bash', { command: ['git', 'push'] }, '/srv'],
      ['everything', 'echo', { m: 1 }, '/src/other'],
      ['files', 'read', {}, '/src/other'],
      ['codex:builtin', 'update_plan', {}, '/src/other'],
    ]);
    expect(left.bad).toBe(1);
  });
});

describe('the bounds of reading', () => {
  const one = (id: string, command: string): object => said(id, 'Bash', { command });

  it('hold for a line, a file, all of them and their number', () => {
    write('p/one.jsonl', one('a', 'x'.repeat(5000)), one('b', 'ls'));
    expect(read('claude', { bytesOfLine: 4000 })).toMatchObject({ calls: [{ id: 'b' }], left: { long: 1 } });
    expect(read('claude', { bytesOfFile: 1000 }).calls).toEqual([]);
    expect(read('claude', { bytesOfFile: 1000 }).left.bytes).toBeGreaterThan(4000);
    expect(read('claude', { bytes: 5600 }).calls.map(({ id }) => id)).toEqual(['a']);
    write('p/two.jsonl', one('c', 'ls'));
    expect(read('claude', { files: 1 }).left.files).toBe(1);
    expect(read('claude', { depth: 0 }).calls).toEqual([]);
  });

  it('go over the pieces in which a file is read', () => {
    const long = 'é'.repeat(700_000);
    write('p/one.jsonl', one('a', long), one('b', long), one('c', 'ls'));
    expect(read('claude').calls.map(({ args }) => args['command'])).toEqual([long, long, 'ls']);
  });

  it('leave out what is older, by its file or by itself', () => {
    const since = Date.parse(TS);
    write('p/old.jsonl', one('a', 'ls'));
    utimesSync(join(folder, 'p/old.jsonl'), 1, 1);
    write('p/new.jsonl', said('b', 'Bash', {}, { timestamp: '2026-01-31T11:59:59Z' }), one('c', 'ls'));
    expect(read('claude', {}, since).calls.map(({ id }) => id)).toEqual(['c']);
  });

  it('follow no link', () => {
    const path = write('p/one.jsonl', one('a', 'ls'));
    mkdirSync(join(folder, 'q'));
    symlinkSync(path, join(folder, 'q/two.jsonl'));
    symlinkSync(folder, join(folder, 'q/loop'));
    expect(read('claude').calls).toHaveLength(1);
  });
});

it('no line is more than bad, whatever it holds', () => {
  const words = fc.constantFrom(
    'type',
    'assistant',
    'tool_use',
    'message',
    'content',
    'name',
    'input',
    'payload',
    'response_item',
    'function_call',
    'arguments',
    'local_shell_call',
    'action',
    'command',
    '__proto__',
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      words,
      fc.jsonValue(),
      fc.dictionary(words, tie('tree'), { maxKeys: 5 }),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(
      fc.oneof(
        tree.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      (line) => {
        for (const reader of [claudeReader(), codexReader()]) {
          const calls = reader(line);
          if (calls === 'bad') continue;
          for (const { server, tool, args } of calls) {
            expect([typeof server, typeof tool, typeof args]).toEqual(['string', 'string', 'object']);
            expect(Array.isArray(args)).toBe(false);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});
