import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/**
 * A network of its own that has nothing but loopback; what is started with `prefix` before its argv stands in
 * it.
 */
export interface Network {
  readonly prefix: readonly string[];
  close(): void;
}

/**
 * How a network is made and entered: as root, or in a user namespace. There it has processes of its own as
 * well, since verbs of the operator are refused where a namespace hides the processes above.
 */
const WAYS = [
  { make: ['-n'], enter: ['-n'] },
  {
    make: ['-rnpf', '--mount-proc', '--kill-child'],
    enter: ['-U', '-n', '-p', '-m', '--preserve-credentials'],
  },
] as const;

/** Undefined where the system gives none (no `unshare`, `nsenter` or `ip`, or they may not be used). */
export async function openNetwork(): Promise<Network | undefined> {
  for (const { make, enter } of WAYS) {
    const script = 'ip link set lo up && echo up && exec sleep 300';
    const holder = spawn('unshare', [...make, 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    if (!(await isUp(holder))) continue;
    // With `-f` it is the only child that stands in the namespaces.
    const child = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'latin1').trim();
    const prefix = ['nsenter', '-t', child === '' ? String(holder.pid) : child, ...enter, '--'];
    if (spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true']).status === 0)
      return { prefix, close: () => void holder.kill('SIGKILL') };
    holder.kill('SIGKILL');
  }
  return undefined;
}

async function isUp(holder: ChildProcess): Promise<boolean> {
  const said = holder.stdout === null ? Promise.resolve([]) : once(holder.stdout, 'data');
  const over = Promise.race([once(holder, 'close'), once(holder, 'error')]);
  return Promise.race([said.then(() => true), over.then(() => false)]).catch(() => false);
}
