/** A dependency-free MCP server over stdio: what every subject of the bench has behind it. */
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) if (line !== '') answer(JSON.parse(line));
});

function answer({ id, method, params }) {
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome(method, params) })}\n`);
}

function outcome(method, params) {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'echo', version: '1.0.0' },
        },
      };
    case 'tools/list':
      return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }] } };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: `method not found: ${method}` } };
  }
}
