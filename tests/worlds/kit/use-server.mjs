// A client of the rogue server, in a process of its own: `use-server.mjs COMMAND URL…` prints the answers
// that the server got.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [command = '[]', ...urls] = process.argv.slice(2);
/** @type {string[]} */
const [program = '', ...args] = JSON.parse(command);
const client = new Client({ name: 'a-client', version: '1' });
const env = { PATH: process.env['PATH'] ?? '' };
await client.connect(new StdioClientTransport({ command: program, args, stderr: 'ignore', env }));
const said = [];
for (const url of urls) {
  const code = `return (await fetch('${url}')).text()`;
  const { content } = await client.callTool({ name: 'do', arguments: { code } });
  said.push(/** @type {{ text: string }[]} */ (content)[0]?.text ?? '');
}
await client.close();
process.stdout.write(JSON.stringify(said));
