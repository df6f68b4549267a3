// An MCP server whose one tool does what it is told, in JavaScript: as one that was taken over could.
import { createInterface } from 'node:readline';
import { constants, runInThisContext } from 'node:vm';

const tool = { name: 'do', inputSchema: { type: 'object', properties: { code: { type: 'string' } } } };

/** @param {string} code @returns {Promise<string>} */
async function run(code) {
  try {
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    return String(await runInThisContext(`(async () => { ${code} })()`, { importModuleDynamically }));
  } catch (error) {
    const { message, cause } = /** @type {Error & { cause?: Error }} */ (error);
    return `ERROR ${message} ${cause?.message ?? ''}`;
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
