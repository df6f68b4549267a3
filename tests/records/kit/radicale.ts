import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after } from '../../gateway/cleanups.js';
import type { Authority } from './https.js';

/** Whether there is a Radicale on this machine to talk to. */
export const HAS_RADICALE = spawnSync('radicale', ['--version'], { stdio: 'ignore' }).status === 0;

export const USER = 'ada@example.com';
export const PASSWORD = 'radicale password 1';

/**
 * Starts Radicale with TLS, one user and its calendars `work` (first by name: `a-main`), ended after the
 * test.
 */
export async function radicale(authority: Authority): Promise<{ readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'sub-radicale-'));
  const port = await freePort();
  writeFileSync(join(folder, 'users'), `${USER}:${PASSWORD}\n`);
  const config = [
    '[server]',
    `hosts = 127.0.0.1:${port}`,
    'ssl = True',
    `certificate = ${authority.certFile}`,
    `key = ${authority.keyFile}`,
    '[auth]',
    'type = htpasswd',
    `htpasswd_filename = ${join(folder, 'users')}`,
    'htpasswd_encryption = plain',
    'delay = 0',
    '[rights]',
    'type = owner_only',
    '[storage]',
    `filesystem_folder = ${join(folder, 'collections')}`,
    '[web]',
    'type = none',
    '[logging]',
    'level = error',
  ];
  writeFileSync(join(folder, 'config'), `${config.join('\n')}\n`);
  const child = spawn('radicale', ['--config', join(folder, 'config')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  after(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  for (let tries = 0; !(await accepts(port)); tries += 1) {
    if (tries > 200 || child.exitCode !== null) throw new Error('Radicale did not start');
    await sleep(50);
  }
  return { port };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
