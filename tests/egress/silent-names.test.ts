import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('kit/silent-names.mjs', import.meta.url));
const APART = ['--net', '--mount', '/bin/sh', '-c'];

/** A network namespace with a loopback, and files of its own: what only root may make. */
const can = spawnSync('unshare', [...APART, 'ip link set lo up'], { stdio: 'ignore' }).status === 0;

it.skipIf(!can)(
  'names of four runs that no server answers for keep neither another run nor the operator from a name',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'sub-dns-'));
    try {
      const resolv = join(folder, 'resolv.conf');
      writeFileSync(resolv, 'nameserver 127.0.0.1\noptions timeout:30 attempts:1\n');
      const script = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"';
      const { stdout, stderr } = spawnSync('unshare', [...APART, script, resolv, process.execPath, PROGRAM], {
        encoding: 'utf8',
        timeout: 25_000,
        // As the gateway is started.
        env: { PATH: process.env['PATH'] ?? '', UV_THREADPOOL_SIZE: '16' },
      });
      expect(`${stdout}${stderr}`).toBe(
        JSON.stringify({ found: [['192.0.2.1'], ['192.0.2.1']], silent: 40 }),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
