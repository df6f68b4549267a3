// What stands for an agent: the MCP SDK's own client, with one server, which `sub shim` puts behind the
// gateway. Arguments: the home, the command line tool, the server's program, the folder that the server may
// see.
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [home = '', sub = '', server = '', folder = ''] = process.argv.slice(2);

const client = new Client({ name: 'quickstart', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [
      sub,
      'shim',
      'stdio',
      '--home',
      home,
      '--server',
      'filesystem',
      '--',
      process.execPath,
      server,
      folder,
    ],
    stderr: 'ignore',
  }),
);

try {
  const { tools } = await client.listTools();
  say(`the server offers ${tools.length} tools through the shim`);
  await call('read_text_file', { path: join(folder, 'note.txt') });
  await call('write_file', { path: join(folder, 'note.txt'), content: 'changed by an agent' });
  await call('list_directory', { path: folder });
} finally {
  await client.close();
}

/** @param {string} name @param {Record<string, unknown>} args */
async function call(name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    say(`${name}: ${JSON.stringify(firstText(result.content)).slice(0, 60)}`);
  } catch (error) {
    if (!(error instanceof Error) || !('data' in error)) throw error;
    const { subluminal } = /** @type {{ subluminal: Record<string, string> }} */ (error.data);
    say(
      `${name}: refused (${subluminal['action']}, rule ${subluminal['rule_id']}): ${subluminal['summary']}`,
    );
  }
}

/** @param {unknown} content */
function firstText(content) {
  return Array.isArray(content) ? content[0]?.text : undefined;
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`    agent: ${text}\n`);
}
