import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { stepsLegacy, stepsModern } from '../transparency/session-v2.js';
import { comparable, record, type Line } from '../transparency/transcript.js';
import { modernServer } from './modern.js';
import { everything, httpWorld } from './world.js';

async function connected(
  url: URL,
  headers: Record<string, string>,
): Promise<{ client: Client; transport: StreamableHTTPClientTransport; lines: Line[] }> {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const lines = record(transport);
  const client = new Client(
    { name: 'transparency', version: '2.0.0' },
    {
      capabilities: { elicitation: { form: {} }, roots: {}, sampling: {} },
      versionNegotiation: { mode: 'auto' },
    },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }));
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'scripted',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'sampled' },
  }));
  await client.connect(transport);
  return { client, transport, lines };
}

async function session(
  url: URL,
  headers: Record<string, string>,
  steps: (client: Client) => Promise<void>,
): Promise<Line[]> {
  const { client, lines } = await connected(url, headers);
  try {
    await steps(client);
  } finally {
    await client.close();
  }
  return lines;
}

it('the 2.x client and a server of revision 2026-07-28 say the same to each other through the gateway as without it', async () => {
  const world = await httpWorld();
  const { url } = await modernServer();
  const plain = comparable(await session(new URL(url), {}, stepsModern));
  const through = comparable(await session(world.url('modern'), world.headers(url), stepsModern));
  expect(through).toEqual(plain);
  expect(world.gateway.calls().map(({ decision, end }) => [decision, end])).toContainEqual(['ALLOW', 'OK']);
  await expect.poll(() => world.gateway.calls().every(({ end }) => end !== undefined)).toBe(true);
  await world.gateway.gateway.stop('test');
  expect(await world.gateway.verify()).toBe('ok');
});

it('the 2.x client falls back to sessions with the reference server through the gateway', async () => {
  const world = await httpWorld();
  const upstream = await everything();
  const plain = comparable(await session(new URL(upstream), {}, stepsLegacy));
  const through = comparable(await session(world.url('everything'), world.headers(upstream), stepsLegacy));
  // When the server asks for roots depends on which of its streams is first.
  expect(through.messages.filter(isOfClient)).toEqual(plain.messages.filter(isOfClient));
});

/** What the client asks, and what it is answered. */
function isOfClient(text: string): boolean {
  return text.startsWith('client {"method"') || (text.startsWith('server') && text.includes('"result":'));
}

it('closing the stream of a request cancels it at a server of revision 2026-07-28, and the record says so', async () => {
  const world = await httpWorld();
  const { url, cancelled } = await modernServer();
  const { client } = await connected(world.url('modern'), world.headers(url));
  const abort = new AbortController();
  const call = client.callTool({ name: 'wait', arguments: {} }, { signal: abort.signal });
  setTimeout(() => abort.abort(new Error('enough')), 200);
  await expect(call).rejects.toThrow('enough');
  await expect.poll(() => cancelled, { timeout: 5000 }).toEqual(['wait']);
  await expect.poll(() => world.gateway.calls().map(({ end }) => end)).toEqual(['CANCELLED']);
  await client.close();
});
