import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { shimCommand } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

let home: TestHome;
beforeEach(async () => {
  home = createHome({ config: 'autostart = false\n' });
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterEach(() => home.remove());

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'a call after the gateway ended by %s is answered with an error and does not reach the server',
  async (signal) => {
    const log = join(home.root, 'reached.log');
    writeFileSync(log, '');
    const argv = shimCommand(home.home, 'echo', [process.execPath, echo], ['ECHO_LOG']);
    const session = await openRawSession(argv, { ...process.env, ECHO_LOG: log });
    const before = await session.request('tools/call', { name: 'echo', arguments: { n: 1 } });
    expect(before.error).toBeUndefined();
    await stopGateway(home.home, signal);

    const after = await session.request('tools/call', { name: 'echo', arguments: { n: 2 } });
    expect(after.result).toBeUndefined();
    expect(after.error?.message).toMatch(/./);
    expect(readFileSync(log, 'utf8')).toBe('echo {"n":1}\n');
    session.child.kill('SIGTERM');
  },
);
