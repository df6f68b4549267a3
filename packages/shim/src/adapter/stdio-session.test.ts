import { PassThrough } from 'node:stream';
import type { CallEnd, Core, ToolCall, Verdict } from '@subluminal/agent';
import { NO_VALUES } from '@subluminal/core-types';
import { DEFAULT_LIMITS } from '@subluminal/mcp';
import { expect, test } from 'vitest';
import { StdioSession } from './stdio-session.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A session whose calls the test decides. */
function world() {
  const asked: { readonly call: ToolCall; readonly answer: (verdict: Verdict) => void }[] = [];
  const ends: [string, CallEnd['status']][] = [];
  const core: Core = {
    values: NO_VALUES,
    decide: (call) => new Promise((resolve) => asked.push({ call, answer: resolve })),
    end: (callId, { status }) => ends.push([callId, status]),
    listed: () => Promise.resolve({ leaveOut: new Set() }),
    dropped: () => undefined,
  };
  const client = { input: new PassThrough(), output: new PassThrough() };
  const server = { input: new PassThrough(), output: new PassThrough() };
  const session = new StdioSession({
    core,
    serverName: 'files',
    client,
    server,
    spoolFolder: '/nowhere',
    limits: DEFAULT_LIMITS,
    monotonic: () => 0,
    onRunOver: () => undefined,
  });
  const call = (id: number): void => {
    const params = { name: 'do', arguments: { id } };
    client.input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
  };
  const allow = (at: number): void =>
    asked[at]?.answer({ decision: 'ALLOW', call_id: `call-${at}`, args_hash: '0'.repeat(64) });
  return { session, asked, ends, call, allow };
}

test('a call that is decided after the session is over ends as soon as it is', async () => {
  const { session, asked, ends, call, allow } = world();
  call(1);
  call(2);
  await turn();
  allow(0);
  await turn();
  session.endCalls();
  expect(ends).toEqual([['call-0', 'ERROR']]);
  allow(1);
  await turn();
  expect(asked).toHaveLength(2);
  expect(ends).toEqual([
    ['call-0', 'ERROR'],
    ['call-1', 'CANCELLED'],
  ]);
});

test('a call that comes after the session is over is not asked for', async () => {
  const { session, asked, call } = world();
  session.endCalls();
  call(1);
  await turn();
  expect(asked).toHaveLength(0);
});
