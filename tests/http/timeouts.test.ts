import type { ServerResponse } from 'node:http';
import { isJsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { httpWorld, scripted, stream, type HttpWorld } from './world.js';

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: {} } };
const MODERN = {
  ...CALL,
  params: { ...CALL.params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
};
const MODERN_HEADERS = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'echo',
};
const GIVEN_UP = { jsonrpc: '2.0', id: 7, error: { code: -32_001, data: { timeout_ms: 300 } } };
const CANCELLED = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,';

const worldOf = (): Promise<HttpWorld> => httpWorld({ config: '[servers.srv]\ntimeout_ms = 300\n' });

/** A server that keeps every call waiting; what it has heard, and how many of its streams were closed. */
async function silent(begin: (response: ServerResponse) => void = () => undefined) {
  let closed = 0;
  const server = await scripted((got, response) => {
    if (got.body.includes('notifications/')) {
      response.writeHead(202).end();
      return;
    }
    response.once('close', () => (closed += 1));
    begin(response);
  });
  return { ...server, closed: () => closed };
}

async function expectTimeout(world: HttpWorld): Promise<void> {
  const ends = () =>
    world.gateway.rows('tool_call_end').map(({ code, data }) => {
      const { error } = data;
      return [code, error !== undefined && isJsonObject(error) ? error['class'] : null];
    });
  await expect.poll(ends).toEqual([['TIMEOUT', 'timeout']]);
}

describe('a call over HTTP that takes longer than it may', () => {
  it('is answered with an error, its server is told, and its connection is closed', async () => {
    const world = await worldOf();
    const server = await silent();
    const answer = await world.post(server.url, CALL);
    expect([answer.status, answer.json()]).toMatchObject([200, GIVEN_UP]);
    await expect.poll(server.closed).toBe(1);
    await expect.poll(() => server.got.map(({ body }) => body.startsWith(CANCELLED))).toEqual([false, true]);
    await expectTimeout(world);
  });

  it('ends its stream with that error', async () => {
    const world = await worldOf();
    const server = await silent((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': soon\n\n');
    });
    const { whole } = stream(world.url('srv'), world.headers(server.url), CALL);
    const text = await whole;
    expect(text.startsWith(':\n\ndata: ')).toBe(true);
    expect(JSON.parse(text.slice(':\n\ndata: '.length))).toMatchObject(GIVEN_UP);
    await expect.poll(server.closed).toBe(1);
    await expectTimeout(world);
  });

  it('is cancelled by the end of its stream where the revision says so, and by nothing else', async () => {
    const world = await worldOf();
    const server = await silent();
    const answer = await world.post(server.url, MODERN, { headers: MODERN_HEADERS });
    expect([answer.status, answer.json()]).toMatchObject([200, GIVEN_UP]);
    await expect.poll(server.closed).toBe(1);
    await expectTimeout(world);
    expect(server.got).toHaveLength(1);
  });
});
