// client.mjs URL: what the suite's scenarios for clients ask of one, with the client of the SDK. With GATEWAY
// (JSON `{url, headers}`) it reaches the server through that, as an imported entry does.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** The call of each scenario. */
const CALLS = new Map([
  ['tools_call', { name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  ['elicitation-sep1034-client-defaults', { name: 'test_client_elicitation_defaults', arguments: {} }],
  ['sse-retry', { name: 'test_reconnection', arguments: {} }],
]);

const server = process.argv[2] ?? '';
const gateway = process.env['GATEWAY'];
const { url, headers } =
  gateway === undefined ? { url: server, headers: {} } : JSON.parse(gateway.replaceAll('<server>', server));
const client = new Client(
  { name: 'conformance-client', version: '1.0.0' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
await client.listTools();
const call = CALLS.get(process.env['MCP_CONFORMANCE_SCENARIO'] ?? '');
if (call !== undefined) await client.callTool(call);
await client.close();
