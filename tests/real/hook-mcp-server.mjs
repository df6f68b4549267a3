// An MCP server for the hooks of Codex. It answers a command `touch NAME` in the broken way that NAME says.
import { createInterface } from 'node:readline';
import { ANSWERS } from './hook-answers.mjs';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'guard', version: '1' },
      },
    });
  else if (method === 'tools/list')
    send({
      id,
      result: { tools: [{ name: 'decide', description: 'decides', inputSchema: { type: 'object' } }] },
    });
  else if (method === 'tools/call') answer(id, params.arguments.command.split(' ').at(-1));
  else send({ id, result: {} });
});

function answer(id, name) {
  const [status, text] = ANSWERS[name] ?? [200, '{}'];
  if (status === 0) return;
  if (status === 500) send({ id, error: { code: -32000, message: 'failed' } });
  else
    send({ id, result: { content: [{ type: 'text', text }], ...(status === 403 ? { isError: true } : {}) } });
}
