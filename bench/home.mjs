/** A throwaway home with a running gateway, for one durability. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sub = fileURLToPath(new URL('../packages/cli/bin/sub.mjs', import.meta.url));

export function openHome(durability) {
  const root = mkdtempSync(join(tmpdir(), 'sub-bench-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, 'config.toml'),
    `durability = "${durability}"\nheads_log = ${JSON.stringify(join(root, 'memory', 'heads.log'))}\n`,
    { mode: 0o600 },
  );
  const run = (...args) => execFileSync(process.execPath, [sub, ...args, '--home', home], { stdio: 'pipe' });
  const pid = () => JSON.parse(run('status', '--json')).pid;
  return {
    sub,
    pid,
    home,
    shimArgs: (name) => ['shim', 'stdio', '--home', home, '--server', name, '--'],
    up: () => run('up'),
    remove() {
      // `sub down` is refused below a shim's parent, which this process is
      process.kill(pid(), 'SIGTERM');
      rmSync(root, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
