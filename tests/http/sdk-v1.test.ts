import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import { stepsEverything } from '../transparency/steps-everything.js';
import { comparable, record, type Line } from '../transparency/transcript.js';
import { everything, httpWorld } from './world.js';

it('the 1.x client that connects again after a restart of the gateway goes on in the same run', async () => {
  const world = await httpWorld();
  const upstream = await everything();
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'again', version: '1.0.0' });
    const options = { requestInit: { headers: world.headers(upstream) } };
    await client.connect(new StreamableHTTPClientTransport(world.url('everything'), options));
    return client;
  };
  const first = await connect();
  await first.callTool({ name: 'echo', arguments: { message: 'one' } });
  await world.gateway.restart();
  await expect(first.callTool({ name: 'echo', arguments: { message: 'two' } })).rejects.toMatchObject({
    code: 404,
    message: expect.stringContaining('there is no such session'),
  });
  const second = await connect();
  await second.callTool({ name: 'echo', arguments: { message: 'three' } });
  const runs = world.gateway.rows('tool_call_start').map(({ runId }) => runId);
  expect(runs).toEqual([world.run.id, world.run.id]);
  await first.close();
  await second.close();
});

async function session(url: URL, headers: Record<string, string>): Promise<Line[]> {
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    // It asks for the rest of a stream that ended with an error, and the server then says everything again.
    reconnectionOptions: {
      initialReconnectionDelay: 3_600_000,
      maxReconnectionDelay: 3_600_000,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 1,
    },
  });
  const lines = record(transport);
  const client = new Client(
    { name: 'transparency', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'scripted',
    role: 'assistant',
    content: { type: 'text', text: 'sampled' },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }));
  await client.connect(transport);
  try {
    await stepsEverything(client);
    await transport.terminateSession();
  } finally {
    await client.close();
  }
  return lines;
}

it('the 1.x client and the reference server say the same to each other through the gateway as without it', async () => {
  const world = await httpWorld();
  const upstream = await everything();
  const plain = comparable(await session(new URL(upstream), {}));
  const through = comparable(await session(world.url('everything'), world.headers(upstream)));
  // A session has several streams: what comes by one says nothing of what comes by another.
  expect(through.messages.toSorted()).toEqual(plain.messages.toSorted());
  expect(through.notifications).toEqual(plain.notifications);
  await expect.poll(() => world.gateway.calls().every(({ end }) => end !== undefined)).toBe(true);
  await world.gateway.gateway.stop('test');
  expect(await world.gateway.verify()).toBe('ok');
});
