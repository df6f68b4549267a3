import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { stopGateway } from '../harness/home.js';
import { finished, SUB, type Finished } from '../harness/sub.js';
import { ROOT } from './pages.js';

const require = createRequire(import.meta.url);
const FILES_SERVER = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

/** The account of somebody who reads the README: a client with one server, and a policy of nobody's yet. */
export interface FirstHour {
  readonly home: string;
  /** Runs a line of a page in a shell of that account, with `sub` and `claude` on its PATH. */
  run(line: string, options?: { readonly keys?: string }): Promise<Finished>;
  remove(): Promise<void>;
}

/** Claude Code's part: it starts the server of its configuration, reads a note, and tries to read a key. */
const CLIENT = `
import { readFileSync } from 'node:fs';
import { Client } from '${import.meta.resolve('@modelcontextprotocol/sdk/client/index.js')}';
import { StdioClientTransport } from '${import.meta.resolve('@modelcontextprotocol/sdk/client/stdio.js')}';
const { mcpServers } = JSON.parse(readFileSync(process.env.HOME + '/.claude.json', 'utf8'));
const { command, args, env } = mcpServers.notes;
const client = new Client({ name: 'claude-code', version: '2.1.330' });
await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, ...env } }));
for (const path of ['/notes/today.md', '/.ssh/id_ed25519']) {
  const call = { name: 'read_text_file', arguments: { path: process.env.HOME + path } };
  await client.callTool(call).catch(() => undefined);
}
await client.close();
`;

/** Makes the account. */
export async function firstHour(): Promise<FirstHour> {
  const root = mkdtempSync(join(tmpdir(), 'sub-'));
  const home = join(root, 'home');
  const bin = join(root, 'bin');
  for (const folder of [home, bin, join(home, 'notes'), join(home, '.claude')])
    mkdirSync(folder, { recursive: true });
  symlinkSync(new URL('verifier', ROOT), join(home, 'verifier'));
  writeFileSync(join(home, 'notes', 'today.md'), 'milk\n');
  writeFileSync(join(home, '.claude', 'settings.json'), '{}\n');
  const notes = { command: process.execPath, args: [FILES_SERVER, join(home, 'notes')] };
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: { notes } }));
  const program = (name: string, text: string): void => {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  };
  program('sub', `#!/bin/sh\nexec '${process.execPath}' '${SUB}' "$@"\n`);
  program('claude', `#!/bin/sh\nexec '${process.execPath}' --input-type=module - <<'EOF'\n${CLIENT}EOF\n`);
  const env = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: home,
    SUB_HOME: join(home, '.subluminal'),
    LANG: 'C.UTF-8',
  };
  return {
    home,
    async run(line, { keys } = {}) {
      const argv = keys === undefined ? ['bash', '-c', line] : ['script', '-qec', line, '/dev/null'];
      const [command = '', ...args] = argv;
      const child = spawn(command, args, { cwd: home, env, stdio: ['pipe', 'pipe', 'pipe'] });
      if (keys === undefined) child.stdin.end();
      else child.stdin.write(keys);
      return finished(child, 60_000);
    },
    async remove() {
      await stopGateway(env.SUB_HOME);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
