import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { finished, runSub, shimCommand } from '../harness/sub.js';

const KEEPER = fileURLToPath(new URL('fixtures/keeper-server.mjs', import.meta.url));
const server = [process.execPath, KEEPER];
const env = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  LC_TIME: 'C',
  HTTPS_PROXY: 'http://127.0.0.1:1',
  AWS_SECRET_ACCESS_KEY: 'not-for-servers',
  KEEPER_TOKEN: 'the-client-has-it',
  SUB_HTTP_TOKEN: 'subr_of_a_run',
};

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  await runSub(['up', '--home', home.home]);
});
afterAll(() => home.remove());

/** The names of the variables that a server has. */
async function names(pass: readonly string[]): Promise<unknown> {
  const session = await openRawSession(shimCommand(home.home, 'keeper', server, pass), env);
  const { result } = await session.request('tools/call', { name: 'names' });
  await session.close();
  return result;
}

const SAFE = ['HOME', 'HTTPS_PROXY', 'LC_TIME', 'PATH', 'SUB_UPSTREAM_TOKEN'];

describe('a server behind `sub shim` has, of the variables of its client,', () => {
  it('those of a short list', async () => {
    expect(await names([])).toEqual(SAFE);
  });

  it('and those that are passed by name', async () => {
    expect(await names(['KEEPER_TOKEN', 'MISSING'])).toEqual([...SAFE, 'KEEPER_TOKEN'].toSorted());
  });

  it('or all, but never the key of a run', async () => {
    expect(await names(['*', 'SUB_HTTP_TOKEN'])).toEqual(
      [...SAFE, 'KEEPER_TOKEN', 'AWS_SECRET_ACCESS_KEY'].toSorted(),
    );
  });
});

it('a server that fails at its start is told by the names of what was held back, and by no value', async () => {
  const argv = shimCommand(home.home, 'keeper', server, ['KEEPER_FAILS']);
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...env, KEEPER_FAILS: '1' },
  });
  const { code, stderr } = await finished(child, 20_000);
  expect(code).toBe(7);
  expect(stderr).toBe(
    'sub shim: `HTTPS_PROXY` names another proxy, which is left as it is: connections through it are not recorded\n' +
      'sub shim: the server was not given these variables of its client: AWS_SECRET_ACCESS_KEY, KEEPER_TOKEN (`--pass NAME` before `--` hands one on)\n',
  );
});
