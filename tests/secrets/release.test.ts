import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEEPER, said, SecretPlace, SERVER } from './place.js';

const VALUE = 'value-4711-of-the-store';

let place: SecretPlace;
beforeAll(async () => {
  place = new SecretPlace();
  expect(await place.sub(['secrets', 'add', 'token'], { input: `${VALUE}\n` })).toMatchObject({ code: 0 });
});
afterAll(() => place.home.remove());

let count = 0;
/** A server of a new name that is bound to the secret of the store. */
function bound(extra: Readonly<Record<string, unknown>> = {}): string {
  count += 1;
  const server = `keeper-${count}`;
  place.bind({
    server_name: server,
    inject_as: 'KEEPER_TOKEN',
    secret_ref: 'token',
    source: 'store',
    redact: false,
    ...extra,
  });
  return server;
}

/** What is recorded of injections, the newest last. */
function injections(last: number): readonly unknown[] {
  return place.recorded('secret_injection').slice(-last);
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('a server gets the secret that it is bound to', () => {
  it('of the store, whatever variable of that name its client has or passes, and it is recorded by name', async () => {
    const server = bound();
    const inherited = { KEEPER_TOKEN: 'inherited-from-the-client' };
    const session = await place.open(inherited, { server, pass: ['KEEPER_TOKEN'] });
    expect(await said(session, 'is ${KEEPER_TOKEN}')).toMatchObject(text(`is ${VALUE}`));
    await session.close();
    expect(injections(1)).toMatchObject([
      { secret: { inject_as: 'KEEPER_TOKEN', secret_ref: 'token', source: 'store', success: true } },
    ]);
    const { stdout } = await place.sub(['secrets', 'get', 'token', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'token', stored: true, uses: 1 });
    expect(stdout).not.toContain(VALUE);
  });

  it('of a file, of which a line feed at its end is no part', async () => {
    const path = place.file('secret', 'line one\nline two\n');
    const server = bound({ secret_ref: path, source: 'file' });
    const session = await place.open({}, { server });
    expect(await said(session, '${KEEPER_TOKEN}')).toMatchObject(text('line one\nline two'));
    await session.close();
  });

  it('of the variables of its client, under another name', async () => {
    const server = bound({ secret_ref: 'MY_TOKEN', source: 'env' });
    const session = await place.open({ MY_TOKEN: 'from-my-variable' }, { server });
    expect(await said(session, '${KEEPER_TOKEN}${MY_TOKEN}')).toMatchObject(text('from-my-variable'));
    await session.close();
    expect(injections(1)).toMatchObject([
      { secret: { inject_as: 'KEEPER_TOKEN', secret_ref: 'MY_TOKEN', source: 'env', success: true } },
    ]);
  });

  it('and nothing of its client that could send the secret elsewhere', async () => {
    const server = bound({ pass: ['KEEPER_SETTING'] });
    const session = await place.open(
      {
        KEEPER_SETTING: 'named-in-the-binding',
        PATH: '/nowhere',
        HOME: '/nowhere',
        HTTPS_PROXY: 'http://127.0.0.1:9',
        SSL_CERT_FILE: '/nowhere.pem',
        XDG_CONFIG_HOME: '/nowhere',
        LC_TIME: 'C',
      },
      { server, pass: ['KEEPER_SETTING'] },
    );
    const { result } = await session.request('tools/call', { name: 'names' });
    expect(result).toEqual([
      'ALL_PROXY',
      'HOME',
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'KEEPER_SETTING',
      'KEEPER_TOKEN',
      'LC_TIME',
      'LOGNAME',
      'NODE_USE_ENV_PROXY',
      'NO_PROXY',
      'PATH',
      'SUB_UPSTREAM_TOKEN',
      'USER',
      'all_proxy',
      'http_proxy',
      'https_proxy',
      'no_proxy',
    ]);
    // The proxy is the gateway's, whatever the client named.
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      expect(await said(session, `\${${name}}`)).toMatchObject({
        content: [
          { text: expect.stringMatching(/^http:\/\/keeper-\d+:subp_\w+-?[\w-]*@127\.0\.0\.1:\d{4,5}$/) },
        ],
      });
    }
    expect(await said(session, '${NO_PROXY}')).toMatchObject(text('localhost,127.0.0.1,::1'));
    expect(JSON.stringify(await said(session, '${PATH} ${HOME}'))).not.toContain('/nowhere');
    await session.close();
  });
});

describe('no server is started', () => {
  const log = () => join(place.home.root, 'started');
  const started = () => existsSync(log());

  /** The shim ends with a code, the client is told why, and nothing ran. */
  async function refused(
    code: string,
    options: Parameters<SecretPlace['attempt']>[1] = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const end = await place.attempt({ KEEPER_LOG: log(), ...env }, options);
    expect(end.stderr).toContain(`error[${code}]`);
    expect(end.code).not.toBe(0);
    expect(started()).toBe(false);
    expect(end.stdout + end.stderr).not.toContain(VALUE);
    return end.stdout;
  }

  it.each<[string, readonly string[]]>([
    ['another program', ['/usr/bin/printenv']],
    ['another program under its name', ['node', KEEPER]],
    ['more words', [...SERVER, '--print-environment']],
    ['fewer words', [process.execPath]],
    ['two words in one', [`${process.execPath} ${KEEPER}`]],
    ['a word in two', [process.execPath, KEEPER.slice(0, 4), KEEPER.slice(4)]],
    ['an empty word', [...SERVER, '']],
  ])('for %s than the secret is bound to; it is recorded', async (_name, command) => {
    const server = bound();
    const before = place.recorded('secret_injection').length;
    const told = await refused('secret_refused', { server, command });
    expect(JSON.parse(told)).toMatchObject({ id: 1, error: { data: { code: 'secret_refused' } } });
    expect(JSON.stringify(place.recorded('action_rejected').at(-1))).toContain('secret_refused');
    expect(place.recorded('secret_injection').length).toBe(before);
  });

  it('that would be handed what its binding does not name', async () => {
    const server = bound();
    expect(await refused('secret_refused', { server, pass: ['KEEPER_LOG'] })).toContain('`KEEPER_LOG`');
    expect(await refused('secret_refused', { server, pass: ['*'] })).toContain('`*`');
  });

  it('where its secret is not in the store, in no file, or not in the environment; that is recorded', async () => {
    const fromFile = (path: string) => bound({ secret_ref: path, source: 'file' });
    await refused('secret_missing', { server: bound({ secret_ref: 'absent' }) });
    await refused('secret_missing', { server: fromFile(place.file('open', 'others-write-it', 0o666)) });
    await refused('secret_missing', { server: fromFile('/dev/zero') });
    await refused('secret_missing', { server: fromFile(place.file('short', '1234567')) });
    const server = bound({ secret_ref: 'ABSENT', source: 'env' });
    await refused('secret_missing', { server });
    await refused('secret_missing', { server }, { ABSENT: 'short' });
    const secrets = injections(6) as { secret: { success: boolean } }[];
    expect(secrets.map(({ secret }) => secret.success)).toEqual(Array.from({ length: 6 }, () => false));
  });

  it('while config.toml has a mistake, though it be in another binding', async () => {
    const server = bound();
    const path = join(place.home.home, 'config.toml');
    const before = readFileSync(path);
    bound({ inject_as: 'LD_PRELOAD' });
    expect(await refused('config_invalid', { server })).toBe('');
    writeFileSync(path, before);
  });

  it('whose program is another one of the same name, in the PATH or folder of its client', async () => {
    const trap = join(place.home.root, 'bin');
    mkdirSync(trap);
    writeFileSync(join(trap, 'node'), `#!/bin/sh\necho trapped > ${log()}\n`);
    chmodSync(join(trap, 'node'), 0o755);
    copyFileSync(join(trap, 'node'), join(place.home.root, 'keeper-of-nothing'));
    const command = ['node', KEEPER];
    const server = bound({ command, program: process.execPath });
    const session = await place.open({ PATH: `${trap}:/bin` }, { server, command });
    expect(await said(session, '${KEEPER_TOKEN}')).toMatchObject(text(VALUE));
    await session.close();
    expect(started()).toBe(false);
    const relative = [process.execPath, 'keeper-of-this-folder.mjs'];
    writeFileSync(join(trap, 'keeper-of-this-folder.mjs'), `import(${JSON.stringify(KEEPER)})`);
    const loose = bound({ command: relative, pass: ['KEEPER_LOG'] });
    const found = await place.attempt({ KEEPER_LOG: log() }, { server: loose, command: relative }, trap);
    expect([found.code, started()]).toEqual([1, false]);
    const nowhere = ['keeper-of-nothing'];
    const other = bound({ command: nowhere });
    await refused('secret_refused', { server: other, command: nowhere }, { PATH: trap });
  });
});

it('a server of another name gets nothing, whatever its command line is', async () => {
  bound();
  const session = await place.open({}, { server: 'gatekeeper' });
  expect(await said(session, 'is ${KEEPER_TOKEN}')).toMatchObject(text('is '));
  await session.close();
});
