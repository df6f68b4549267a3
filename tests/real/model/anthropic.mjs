// The Messages API of Anthropic, as far as Claude Code reads it.

/**
 * Answers with one scripted step, as a stream where the client asked for one.
 * @param {import('node:http').ServerResponse} response
 * @param {{ model?: string, stream?: boolean }} body
 * @param {import('./server.mjs').Step} step
 * @param {() => string} nextId
 */
export function answerMessages(response, body, step, nextId) {
  const content = blocks(step, nextId);
  const stop = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const message = {
    id: `msg_${nextId()}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  if (body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...message, content, stop_reason: stop }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  /** @param {string} type @param {object} data */
  const send = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('message_start', { message: { ...message, content: [] } });
  for (const [index, block] of content.entries()) {
    send('content_block_start', { index, content_block: empty(block) });
    send('content_block_delta', { index, delta: delta(block) });
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } });
  send('message_stop', {});
  response.end();
}

/**
 * @typedef {{ type: 'text', text: string } | { type: 'tool_use', id: string, name: string, input: object }}
 *   Block
 * @param {import('./server.mjs').Step} step @param {() => string} nextId @returns {Block[]}
 */
function blocks(step, nextId) {
  /** @type {Block[]} */
  const calls = (step.calls ?? []).map(({ server, tool, input }) => ({
    type: 'tool_use',
    id: `toolu_${nextId()}`,
    name: server === undefined ? tool : `mcp__${server}__${tool}`,
    input,
  }));
  return step.text === undefined ? calls : [{ type: 'text', text: step.text }, ...calls];
}

/** @param {Block} block */
const empty = (block) => (block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} });

/** @param {Block} block */
const delta = (block) =>
  block.type === 'text'
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
