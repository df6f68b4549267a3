// A scripted model on loopback, for real clients: the Messages API of Anthropic and the Responses API of
// OpenAI, as streams. Line by line: on stdin the script to play from now on (`{"steps":[…]}`), on stdout
// first `{"port":n}`, then every request that came as `{"path","body"}`. A request that offers tools takes
// the next step; what has none (a title, a summary) takes no step.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { answerMessages } from './anthropic.mjs';
import { answerResponses } from './openai.mjs';

/**
 * @typedef {{ server?: string, tool: string, input: object | string }} ScriptedCall what the model asks for,
 * as MCP names it
 */
/** @typedef {{ text?: string, search?: string, calls?: readonly ScriptedCall[] }} Step */

const MAX_BODY = 32 * 1024 * 1024;
/** @type {Step[]} */
let steps = [];
let ids = 0;
const nextId = () => String((ids += 1));

/** @param {{ tools?: unknown }} body @returns {Step} */
function stepFor(body) {
  const offersTools = Array.isArray(body.tools) && body.tools.length > 0;
  return offersTools ? (steps.shift() ?? { text: 'done' }) : { text: 'ok' };
}

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > MAX_BODY) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const text = Buffer.concat(chunks).toString('utf8');
    const body = text.startsWith('{') ? JSON.parse(text) : {};
    process.stdout.write(`${JSON.stringify({ path, body })}\n`);
    if (path.endsWith('/count_tokens')) json(response, { input_tokens: 10 });
    else if (path.endsWith('/messages')) answerMessages(response, body, stepFor(body), nextId);
    else if (path.endsWith('/responses')) answerResponses(response, body, stepFor(body), nextId);
    else if (path.endsWith('/models')) json(response, { object: 'list', data: [], models: [] });
    else json(response, { type: 'error', error: { type: 'not_found_error', message: 'not scripted' } }, 404);
  });
});

/** @param {import('node:http').ServerResponse} response @param {object} value @param {number} [status] */
function json(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    ({ steps } = JSON.parse(line));
    ids = 0;
  })
  .on('close', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
