// The Responses API of OpenAI, as far as Codex reads it. It groups the tools of an MCP server in a namespace,
// and writes `_` for `-`.

/**
 * Answers with one scripted step, as a stream.
 * @param {import('node:http').ServerResponse} response
 * @param {object} _body
 * @param {import('./server.mjs').Step} step
 * @param {() => string} nextId
 */
export function answerResponses(response, _body, step, nextId) {
  const output = items(step, nextId);
  const id = `resp_${nextId()}`;
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  /** @param {string} type @param {object} data */
  const send = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('response.created', { response: { id, object: 'response', status: 'in_progress', output: [] } });
  for (const [index, item] of output.entries()) {
    send('response.output_item.added', { output_index: index, item });
    send('response.output_item.done', { output_index: index, item });
  }
  send('response.completed', { response: { id, object: 'response', status: 'completed', output, usage } });
  response.end();
}

/** @param {import('./server.mjs').Step} step @param {() => string} nextId */
function items(step, nextId) {
  if (step.search !== undefined) {
    const call = {
      id: `tsc_${nextId()}`,
      call_id: `call_${nextId()}`,
      execution: 'client',
      status: 'completed',
    };
    return [{ type: 'tool_search_call', ...call, arguments: { query: step.search, limit: 100 } }];
  }
  const calls = (step.calls ?? []).map(({ server, tool, input }) => {
    const call = { id: `fc_${nextId()}`, call_id: `call_${nextId()}`, status: 'completed' };
    // A tool of Codex that takes a text instead of arguments.
    if (typeof input === 'string') return { type: 'custom_tool_call', ...call, name: tool, input };
    const named =
      server === undefined
        ? { name: tool }
        : { namespace: `mcp__${server}`, name: tool.replaceAll('-', '_') };
    return { type: 'function_call', ...call, ...named, arguments: JSON.stringify(input) };
  });
  if (step.text === undefined) return calls;
  const content = [{ type: 'output_text', text: step.text, annotations: [] }];
  return [
    ...calls,
    { type: 'message', id: `msg_${nextId()}`, role: 'assistant', status: 'completed', content },
  ];
}
