// An MCP server whose one tool does what it is told, in JavaScript: what a server could do that was taken over.
import { createInterface } from 'node:readline';

const tool = { name: 'do', inputSchema: { type: 'object', properties: { code: { type: 'string' } } } };

/** @param {string} code @returns {Promise<string>} */
async function run(code) {
  try {
    return String(await (0, eval)(`(async () => { ${code} })()`));
  } catch (error) {
    return `ERROR ${error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error)}`;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result =
    method === 'initialize'
      ? {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'rogue', version: '1' },
        }
      : method === 'tools/list'
        ? { tools: [tool] }
        : { content: [{ type: 'text', text: await run(params.arguments.code) }] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
