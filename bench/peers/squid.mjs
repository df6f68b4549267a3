/** squid as a plain forward proxy on loopback: no cache, no log, everybody may. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Starts it; undefined where it is not installed. */
export async function openSquid() {
  if (spawnSync('squid', ['-v'], { stdio: 'ignore' }).error !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sub-squid-'));
  chmodSync(folder, 0o777);
  const port = await freePort();
  const lines = [
    `http_port 127.0.0.1:${port}`,
    'http_access allow all',
    'cache deny all',
    'access_log none',
    'cache_log /dev/null',
    'cache_store_log none',
    'pid_filename none',
    'max_filedescriptors 8192',
    'shutdown_lifetime 0 seconds',
    `coredump_dir ${folder}`,
  ];
  writeFileSync(join(folder, 'squid.conf'), `${lines.join('\n')}\n`);
  const child = spawn('squid', ['-N', '-f', join(folder, 'squid.conf')], { stdio: 'ignore' });
  await listening(port);
  return {
    port,
    pid: child.pid,
    stop() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function listening(port) {
  for (let tries = 0; tries < 600; tries += 1) {
    const isUp = await new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('squid does not listen');
}
