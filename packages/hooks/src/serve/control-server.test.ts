import { expect, test } from 'vitest';
import type { HookSession } from '../session/hook-session.js';
import { ControlServer } from './control-server.js';
import { Lines } from './lines.js';

function world() {
  const sent: string[] = [];
  let misuse = 0;
  const hooks: Pick<HookSession, 'answer' | 'refuse'> = {
    answer: (event) => Promise.resolve(event['hook_event_name'] === 'Stop' ? {} : undefined),
    refuse: (reason) => ({ refused: reason }),
  };
  const server = new ControlServer({
    hooks,
    version: '1.2.3',
    tool: 'tell',
    send: (message) => void sent.push(message),
    onReady: () => undefined,
    onMisuse: () => {
      misuse += 1;
    },
  });
  const ask = async (message: unknown): Promise<unknown> => {
    sent.length = 0;
    await server.take(typeof message === 'string' ? message : JSON.stringify(message));
    return sent[0] === undefined ? undefined : JSON.parse(sent[0]);
  };
  return { ask, misused: () => misuse };
}

const call = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });

test('it introduces itself with the revision that it is asked for, and has one tool', async () => {
  const { ask } = world();
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} };
  expect(await ask({ jsonrpc: '2.0', id: 0, method: 'initialize', params })).toEqual({
    jsonrpc: '2.0',
    id: 0,
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'subluminal', version: '1.2.3' },
    },
  });
  expect(await ask({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  expect(await ask({ jsonrpc: '2.0', id: 'a', method: 'ping' })).toEqual({
    jsonrpc: '2.0',
    id: 'a',
    result: {},
  });
  expect(await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).toMatchObject({
    result: { tools: [{ name: 'tell', inputSchema: { type: 'object' } }] },
  });
});

test('a hook is answered with the JSON that the client reads', async () => {
  const { ask } = world();
  const answered = await ask(
    call({ name: 'tell', arguments: { hook_event_name: 'Stop' }, _meta: { threadId: 't' } }),
  );
  expect(answered).toMatchObject({ result: { content: [{ type: 'text', text: '{}' }] } });
});

test('a call of a model is refused and told', async () => {
  const { ask, misused } = world();
  const answered = await ask(call({ name: 'tell', arguments: {}, _meta: { callId: 'call_1' } }));
  expect(answered).toMatchObject({ result: { isError: true } });
  expect(misused()).toBe(1);
});

test.each([
  [call({ name: 'other' }), { result: { isError: true } }],
  [call({ name: 'tell', arguments: { hook_event_name: 'x' } }), { result: { isError: true } }],
  [{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, { error: { code: -32601 } }],
  ['nonsense', { error: { code: -32600 } }],
  ['[]', { error: { code: -32600 } }],
])('%j is answered with an error', async (message, expected) => {
  expect(await world().ask(message)).toMatchObject(expected);
});

test('lines are cut however the bytes come, and one that is too long is left out', () => {
  const seen: string[] = [];
  const lines = new Lines(5, (line) => seen.push(line));
  for (const part of ['ab', 'c\nde\n\n12345', '6\nxy', 'z\n']) lines.push(Buffer.from(part));
  expect(seen).toEqual(['abc', 'de', 'xyz']);
});

test('a message that is too deep to be read is answered with a refusal, under its id', async () => {
  const { ask } = world();
  const deep = `${'['.repeat(90)}${']'.repeat(90)}`;
  const event = `{"hook_event_name":"PreToolUse","tool_input":${deep}}`;
  const line = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"tell","arguments":${event}}}`;
  expect(await ask(line)).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: {
      content: [{ type: 'text', text: '{"refused":"the call could not be read, so it was not made"}' }],
    },
  });
});
