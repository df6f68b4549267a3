// The agent of the watched session: starts one MCP server behind the shim, calls a tool and reads the answer.
// Arguments: the command of the shim. Exits 0 when the tool answered.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [program = '', ...args] = process.argv.slice(2);
const shim = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: shim.stdout })[Symbol.asyncIterator]();

/** @param {object} message */
function send(message) {
  shim.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** @param {number} id @returns {Promise<{ result?: any, error?: any }>} */
async function answerTo(id) {
  for (;;) {
    const { value, done } = await answers.next();
    if (done === true) throw new Error('the shim ended before it answered');
    const message = JSON.parse(value);
    if (message.id === id) return message;
  }
}

send({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'audit', version: '1' } },
});
await answerTo(1);
send({ method: 'notifications/initialized' });
send({ id: 2, method: 'tools/list' });
const { result } = await answerTo(2);
send({ id: 3, method: 'tools/call', params: { name: 'list_allowed_directories', arguments: {} } });
const called = await answerTo(3);
shim.stdin.end();
if (!Array.isArray(result?.tools) || called.result?.content === undefined || called.result.isError === true) {
  process.stderr.write(`the tool did not answer: ${JSON.stringify(called)}\n`);
  process.exitCode = 1;
}
