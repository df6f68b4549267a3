// An agent of a run: fetches a page by itself, one that is not allowed, and one by a tool of an MCP server behind the shim; then it asks for an action of
// its own. Arguments: the allowed page, the other, the argv of the shim as JSON, that of the action. Prints what came, as JSON.
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
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
const proxy = new URL(process.env.HTTPS_PROXY).host;
const tool = result?.content?.[0]?.text;
process.stdout.write(JSON.stringify({ proxy, page, refusal, tool, action: action.status }));
