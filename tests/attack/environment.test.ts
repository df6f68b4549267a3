import { readFileSync, writeFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub, shimCommand } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

let home: TestHome;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

it('a poisoned environment of the shim does not reach the gateway that it starts', async () => {
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  expect(await runSub(['down', '--home', home.home])).toMatchObject({ code: 0 });
  const trap = join(home.root, 'trap.cjs');
  const sprung = join(home.root, 'sprung');
  const elsewhere = join(home.root, 'elsewhere');
  mkdirSync(elsewhere, { mode: 0o700 });
  writeFileSync(
    trap,
    `if (process.argv.join(' ').includes('gateway')) require('fs').writeFileSync(${JSON.stringify(sprung)}, 'x');`,
  );

  const session = await openRawSession(shimCommand(home.home, 'echo', [process.execPath, echo]), {
    PATH: process.env['PATH'],
    NODE_OPTIONS: `--require=${trap}`,
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_EXTRA_CA_CERTS: '/nonexistent.pem',
    SUB_HOME: elsewhere,
    HOME: elsewhere,
    HTTPS_PROXY: 'http://127.0.0.1:1',
    LD_LIBRARY_PATH: elsewhere,
    SSL_CERT_FILE: '/nonexistent.pem',
    XDG_STATE_HOME: elsewhere,
  });
  const answer = await session.request('tools/call', { name: 'echo', arguments: { n: 1 } });
  expect(answer.error).toBeUndefined();

  const status = await runSub(['status', '--home', home.home, '--json']);
  const { pid } = JSON.parse(status.stdout) as { pid: number };
  const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  const names = environ.map((line) => line.split('=')[0]);
  for (const name of names)
    expect(['HOME', 'LANG', 'MALLOC_ARENA_MAX', 'PATH', 'TZ', 'UV_THREADPOOL_SIZE']).toContain(name);
  expect(environ.join('\n')).not.toContain(home.root);
  expect(existsSync(sprung)).toBe(false);
  expect(await session.close()).toBe(0);
});

it('a shim takes its home from its arguments, never from the environment', async () => {
  const session = openRawSession(shimCommand(join(home.root, 'missing'), 'echo', [process.execPath, echo]), {
    ...process.env,
    SUB_HOME: home.home,
  });
  await expect(session).rejects.toThrow(/ended with 5/);
  expect(existsSync(join(home.root, 'missing'))).toBe(false);
});
