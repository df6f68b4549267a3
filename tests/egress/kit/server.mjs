// An MCP server whose one tool, `get`, fetches a page through the proxy that it was told of.
import { createInterface } from 'node:readline';
import { get } from './through-proxy.mjs';

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: await answer(method, params) })}\n`);
}

async function answer(method, params) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'get', version: '1.0.0' },
    };
  if (method === 'tools/list') return { tools: [{ name: 'get', inputSchema: { type: 'object' } }] };
  return { content: [{ type: 'text', text: await get(params.arguments.url) }] };
}
