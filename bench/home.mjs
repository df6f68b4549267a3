/** A throwaway home with a running gateway, for one durability. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** `tree`: the built tree whose `sub` serves. */
export function openHome(durability, tree = ROOT) {
  const sub = join(tree, 'packages/cli/bin/sub.mjs');
  const root = mkdtempSync(join(tmpdir(), 'sub-bench-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, 'config.toml'),
    `durability = "${durability}"\nheads_log = ${JSON.stringify(join(root, 'memory', 'heads.log'))}\n`,
    { mode: 0o600 },
  );
  const run = (...args) => execFileSync(process.execPath, [sub, ...args, '--home', home], { stdio: 'pipe' });
  const status = () => JSON.parse(run('status', '--json'));
  const pid = () => status().pid;
  /** It signs and writes until it is gone: a file that comes behind a removal would make that fail. */
  const stop = () => {
    // `sub down` is refused below a shim's parent, which this process is
    const gateway = pid();
    process.kill(gateway, 'SIGTERM');
    for (let waited = 0; waited < 1000 && lives(gateway); waited += 1) pause(20);
  };
  return {
    sub,
    pid,
    status,
    root,
    home,
    headsLog: join(root, 'memory', 'heads.log'),
    stop,
    shimArgs: (name) => ['shim', 'stdio', '--home', home, '--server', name, '--'],
    up: () => run('up'),
    remove() {
      stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function lives(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
