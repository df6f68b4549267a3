import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { finished, runSub, SUB } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

it('a terminal in which a shim was tried is not inside of its run', async () => {
  const sub = `"${process.execPath}" "${SUB}"`;
  const shell = spawn('bash', ['--norc', '-i'], { stdio: ['pipe', 'pipe', 'pipe'] });
  shell.stdin.end(
    [
      `echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | ${sub} shim stdio --server srv --home ${home.home} -- "${process.execPath}" ${echo}`,
      `${sub} allow add typed.example --home ${home.home}; echo "added: $?"`,
      `exec true`,
    ].join('\n'),
  );
  const { stdout } = await finished(shell, 60_000);
  expect(stdout).toContain('"id":1');
  expect(stdout).toContain('added: 0');
  const { stdout: runs } = await runSub(['runs', '--home', home.home, '--json']);
  expect(JSON.parse(runs.split('\n')[0] ?? '')).toMatchObject({ attested: false });
});
