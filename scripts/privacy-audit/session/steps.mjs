// The steps under strace without a network: a whole run behind the shim, then the operator's commands.
// Arguments: the root of the tree, a home, a folder for the file server. Exits 0 when every step did what it
// should.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [root = '', home = '', folder = ''] = process.argv.slice(2);
const sub = join(root, 'packages/cli/bin/sub.mjs');
const server = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
);
const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));
const node = process.execPath;
const shim = [node, sub, 'shim', 'stdio', '--home', home, '--server', 'files', '--', node, server, folder];

// The last call must fail, and that the gateway tries it shows that the count sees a socket of the internet.
const UNREACHABLE = '9.9.9.9';

/** @type {{ args: string[], codes: number[] }[]} */
const steps = [
  { args: ['run', '--home', home, '--', node, agent, ...shim], codes: [0] },
  { args: ['status', '--home', home, '--json'], codes: [0] },
  { args: ['runs', '--home', home, '--json'], codes: [0] },
  { args: ['allow', 'add', UNREACHABLE, '--home', home], codes: [0] },
  {
    args: ['call', 'service.api_call', '--url', `https://${UNREACHABLE}/`, '--home', home],
    codes: [1],
  },
  { args: ['audit', 'verify', '--home', home], codes: [0, 6] },
  { args: ['down', '--home', home], codes: [0] },
];

for (const { args, codes } of steps) {
  const { status, stdout, stderr } = spawnSync(node, [sub, ...args], { encoding: 'utf8', timeout: 60_000 });
  if (status !== null && codes.includes(status)) continue;
  process.stderr.write(`\`sub ${args.slice(0, 2).join(' ')}\` exited ${status}\n${stdout}${stderr}`);
  process.exitCode = 1;
}
