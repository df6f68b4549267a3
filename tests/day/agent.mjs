// An agent of one day: it lists and calls tools behind a shim, uses its own tools, and opens connections.
// argv: a JSON text with `shim`, `tools` (what its server lists, one after the other), `calls`, `hooks` and
// `places`.
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const { shim, tools, calls, hooks, places } = JSON.parse(process.argv[2]);
const answered = (options, body) =>
  new Promise((resolve) => {
    const asked = request(options, (response) =>
      response.resume().once('end', () => resolve(response.statusCode)),
    );
    asked.once('error', () => resolve(0));
    asked.end(body);
  });

const [command, ...args] = shim;
const client = new Client({ name: 'claude-code', version: '2.1.330' });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
for (const list of tools) {
  writeFileSync(process.env.TOOLS_FILE, JSON.stringify({ tools: list }));
  await client.listTools();
}
for (const call of calls) await client.callTool(call).catch(() => undefined);
for (const body of hooks) {
  const { url, headers } = JSON.parse(process.env.DAY_HOOKS);
  await answered(Object.assign(new URL(url), { method: 'POST', headers }), JSON.stringify(body));
}
for (const path of places) {
  const { hostname, port, username, password } = new URL(process.env.HTTP_PROXY);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  await answered({
    hostname,
    port,
    path,
    headers: { 'proxy-authorization': authorization, host: new URL(path).host },
  });
}
await client.close();
