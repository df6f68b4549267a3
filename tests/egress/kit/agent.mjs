// An agent of a run: fetches a page by itself, one that is not allowed, and one by a tool of an MCP server
// behind the shim; then it asks a remote MCP server for its tools, and for an action of its own. Arguments:
// the allowed page, the other, the argv of the shim as JSON, that of the action. Prints what came, as JSON.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { get } from './through-proxy.mjs';

const [allowed, denied, shimArgv, actionArgv] = process.argv.slice(2);
const page = await get(allowed);
const refusal = await get(denied);

const [program, ...args] = JSON.parse(shimArgv);
const shim = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const lines = createInterface({ input: shim.stdout })[Symbol.asyncIterator]();
const send = (message) => shim.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answerTo = async (id) => {
  for (;;) {
    const message = JSON.parse((await lines.next()).value);
    if (message.id === id) return message;
  }
};
const clientInfo = { name: 'agent', version: '1' };
send({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
});
await answerTo(1);
send({ method: 'notifications/initialized' });
send({ id: 2, method: 'tools/call', params: { name: 'get', arguments: { url: allowed } } });
const { result } = await answerTo(2);
shim.stdin.end();

const [sub, ...words] = JSON.parse(actionArgv);
const action = spawnSync(sub, words, { encoding: 'utf8' });
// A remote MCP server, where the import of this client's configuration has led it.
const { url, headers } = JSON.parse(readFileSync(join(process.env.HOME, '.claude.json'), 'utf8')).mcpServers
  .far;
const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'subluminal-token');
const asked = request(url, {
  method: 'POST',
  headers: {
    ...Object.fromEntries(others),
    'subluminal-token': process.env.SUB_HTTP_TOKEN,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
});
asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
const [answer] = await once(asked, 'response');
let far = '';
for await (const piece of answer) far += piece;
const proxy = new URL(process.env.HTTPS_PROXY).host;
const door = new URL(url).host;
const tool = result?.content?.[0]?.text;
process.stdout.write(JSON.stringify({ proxy, door, page, refusal, tool, far, action: action.status }));
