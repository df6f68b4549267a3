import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { bundle, budget, dedupe } from '../gateway/policy-bundle.js';
import { modernServer } from './modern.js';
import { httpWorld } from './world.js';

const policy = (calls: number): string =>
  bundle([dedupe('once', 'deploy', 600_000, { scope: 'server_tool' }), budget('so-many', 'deploy', calls)]);

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const ANSWERS = { confirm: { action: 'accept', content: { confirm: true } } };

it('the SDK answers what a server of 2026-07-28 asks, and both calls are one action: a dedupe and a budget of calls see one', async () => {
  // What a dedupe refuses is counted, too.
  const world = await httpWorld({ policy: policy(3) });
  const { url } = await modernServer();
  const transport = new StreamableHTTPClientTransport(world.url('modern'), {
    requestInit: { headers: world.headers(url) },
  });
  const client = new Client(
    { name: 'continued', version: '2.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  await client.connect(transport);
  // What the server wants said in headers of a call.
  await client.listTools();
  const deploy = (env: string): Promise<unknown> =>
    client.callTool({ name: 'deploy', arguments: { env } }).then(
      ({ content }) => content,
      (error: unknown) => String(error),
    );
  expect(await deploy('staging')).toMatchObject([{ text: 'deployed to staging' }]);
  expect(await deploy('staging')).toContain('once');
  expect(await deploy('production')).toMatchObject([{ text: 'deployed to production' }]);
  expect(await deploy('elsewhere')).toContain('so-many');
  await client.close();
  const decisions = world.gateway
    .rows('tool_call_decision')
    .filter(({ tool }) => Array.isArray(tool) && tool[1] === 'deploy')
    .map(({ code, data }) => [code, data['call']]);
  expect(decisions.map(([code]) => code)).toEqual(['ALLOW', 'ALLOW', 'BLOCK', 'ALLOW', 'ALLOW', 'BLOCK']);
  const id = (at: number): unknown => (decisions.at(at)?.[1] as { call_id?: string } | undefined)?.call_id;
  expect(decisions.map(([, call]) => (call as { continues?: string }).continues)).toEqual([
    undefined,
    id(0),
    undefined,
    undefined,
    id(3),
    undefined,
  ]);
  await world.gateway.gateway.stop('test');
  expect(await world.gateway.verify()).toBe('ok');
});

it('a client that answers what nobody asked, or once more, makes a call like any other', async () => {
  const world = await httpWorld({ policy: policy(5) });
  const { url } = await modernServer();
  let id = 0;
  const deploy = async (more: object = {}, env = 'staging'): Promise<string> => {
    id += 1;
    const params = { name: 'deploy', arguments: { env }, _meta: META, ...more };
    const { text: body } = await world.post(
      url,
      { jsonrpc: '2.0', id, method: 'tools/call', params },
      {
        name: 'modern',
        headers: {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'deploy',
          'mcp-param-env': env,
        },
      },
    );
    return body;
  };
  expect(await deploy()).toContain('input_required');
  expect(await deploy({ inputResponses: { other: {} } })).toContain('once');
  expect(await deploy({ inputResponses: ANSWERS, requestState: 'made up' })).toContain('once');
  expect(await deploy({ inputResponses: ANSWERS })).toContain('deployed to staging');
  expect(await deploy({ inputResponses: ANSWERS })).toContain('once');
  // Answered before anything was asked: a call of its own, which the budget counts.
  expect(await deploy({ inputResponses: ANSWERS }, 'production')).toContain('deployed to production');
  expect(await deploy({ inputResponses: ANSWERS }, 'elsewhere')).toContain('so-many');
});
