import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import { finished, type Finished, SUB } from '../harness/sub.js';
import { said, SecretPlace, SERVER } from './place.js';

const VALUE = 'typed-and-never-shown-4711';
const hasTerminal = existsSync('/usr/bin/script');

let place: SecretPlace;
beforeAll(async () => {
  place = new SecretPlace('# kept as it is\n\n[log]\nlevel = "debug" # so is this\n');
  await place.sub(['up']);
});
afterAll(() => place.home.remove());

const config = () => join(place.home.home, 'config.toml');

/** Runs `sub` on a terminal, and types when it has asked. */
async function onTerminal(args: readonly string[], typed?: string): Promise<Finished> {
  const words = [process.execPath, SUB, ...args, '--home', place.home.home];
  const line = words.map((word) => `'${word}'`).join(' ');
  const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let shown = '';
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
  const end = finished(child, 30_000);
  if (typed !== undefined) {
    await eventually('it asks', () => shown.includes('(not shown)'), 20_000);
    child.stdin.write(typed);
  }
  return end;
}

describe.runIf(hasTerminal)('on a terminal', () => {
  it('a secret is typed unseen, with mistakes taken back, and shown only where that is asked for', async () => {
    const added = await onTerminal(['secrets', 'add', 'typed'], `wrong\u0015${VALUE}ü\u007f\r`);
    expect(added.code).toBe(0);
    expect(added.stdout).toContain('value of `typed` (not shown):');
    expect(added.stdout).not.toContain('typed-and');
    expect(added.stdout).not.toContain('wrong');
    const got = await onTerminal(['secrets', 'get', 'typed']);
    expect(got.stdout).toContain('never');
    expect(got.stdout).not.toContain(VALUE);
    const revealed = await onTerminal(['secrets', 'get', 'typed', '--reveal']);
    expect(revealed.stdout.trim()).toBe(VALUE);
  });

  it('nothing is added when it is interrupted', async () => {
    const { code } = await onTerminal(['secrets', 'add', 'interrupted'], 'half-of-a-value\u0003');
    expect(code).toBe(1);
    expect((await place.sub(['secrets', 'list', '--json'])).stdout).not.toContain('interrupted');
  });
});

describe('sub secrets', () => {
  it('takes a value from standard input, and a second one only where it is to be replaced', async () => {
    const add = (more: readonly string[], input: string) =>
      place.sub(['secrets', 'add', 'piped', ...more], { input });
    expect(await add(['--json'], `${VALUE}\n`)).toMatchObject({
      code: 0,
      stdout: '{"name":"piped","source":"store"}\n',
    });
    expect((await add([], `${VALUE}-2\n`)).stderr).toBe(
      'error[usage]: there is a secret `piped` already\nhelp: add `--replace` for another value in its place\n',
    );
    expect((await add(['--replace'], `${VALUE}-2\n`)).code).toBe(0);
    expect((await add([], '')).code).toBe(2);
    expect((await add([], 'short\n')).stderr).toContain('fewer than 8 characters');
  });

  it('takes no value as an operand, and repeats none that was given as one', async () => {
    const { code, stderr } = await place.sub(['secrets', 'add', `${VALUE}!`]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(VALUE);
    expect((await place.sub(['secrets', 'add', 'name', VALUE])).code).toBe(2);
  });

  it('reveals nothing to a program', async () => {
    for (const more of [[], ['--json']]) {
      const { code, stdout } = await place.sub(['secrets', 'get', 'piped', '--reveal', ...more]);
      expect(code).toBe(2);
      expect(stdout).not.toContain(VALUE);
    }
  });

  it('binds a server to a secret and takes it back, and leaves every other byte of the configuration', async () => {
    const before = readFileSync(config(), 'utf8');
    const bind = (variable: string, more: readonly string[] = []) =>
      place.sub(['secrets', 'bind', 'keeper', '--as', variable, '--ref', 'piped', ...more, '--', ...SERVER]);
    expect((await bind('KEEPER_TOKEN')).stdout).toContain(
      '`keeper` gets `KEEPER_TOKEN` when it is started by',
    );
    expect((await bind('KEEPER_OPEN', ['--no-redact', '--pass', 'KEEPER_LOG'])).code).toBe(0);
    const again = await bind('KEEPER_TOKEN');
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('error[usage]: `keeper` gets a secret as `KEEPER_TOKEN` already');
    expect(again.stderr).toContain('help: `sub secrets unbind keeper --as KEEPER_TOKEN`');
    expect((await bind('NODE_OPTIONS')).stderr).toContain('error[usage]: `--as` is wrong');
    expect(readFileSync(config(), 'utf8').startsWith(before)).toBe(true);
    const { stdout } = await place.sub(['secrets', 'list', '--json']);
    const listed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; bindings: unknown[] });
    expect(listed.find(({ name }) => name === 'piped')?.bindings).toHaveLength(2);
    expect((await place.sub(['secrets', 'unbind', 'keeper', '--as', 'KEEPER_TOKEN'])).code).toBe(0);
    expect(readFileSync(config(), 'utf8')).toContain('KEEPER_OPEN');
    expect((await place.sub(['secrets', 'unbind', 'keeper'])).stdout).toBe('took 1 secret from `keeper`\n');
    expect(readFileSync(config(), 'utf8')).toBe(before);
    expect((await place.sub(['secrets', 'unbind', 'keeper'])).stderr).toContain('error[not_found]');
    const changes = place.recorded('secret_changed') as { secret: { change: string } }[];
    expect(changes.map(({ secret }) => secret.change).slice(-4)).toEqual([
      'bound',
      'bound',
      'unbound',
      'unbound',
    ]);
  });

  it('binds a secret that is not there yet, and says so', async () => {
    const args = ['secrets', 'bind', 'early', '--as', 'A_TOKEN', '--ref', 'not_yet', '--', 'sh'];
    const { code, stderr } = await place.sub(args);
    expect(code).toBe(0);
    expect(stderr).toBe('there is no secret `not_yet` yet: `sub secrets add not_yet`\n');
    expect((await place.sub(['secrets', 'unbind', 'early'])).code).toBe(0);
  });

  it('finds the program of a binding once, where the operator has it', async () => {
    const args = ['secrets', 'bind', 'found', '--as', 'A_TOKEN', '--ref', 'piped', '--', 'sh', '-c', 'true'];
    expect((await place.sub(args)).code).toBe(0);
    expect(readFileSync(config(), 'utf8')).toMatch(/program = "\/(?:usr\/)?bin\/sh"/);
    expect((await place.sub(['secrets', 'unbind', 'found'])).code).toBe(0);
  });

  it('takes the command line of a routed server from its client, and names the file that has the token still', async () => {
    const user = place.home.root;
    const routed = (server: string, ...command: string[]) => ({
      command: 'sub',
      args: ['shim', 'stdio', '--server', server, '--home', place.home.home, '--', ...command],
      env: { A_TOKEN: 'x' },
    });
    const own = { mcpServers: { found: routed('found', 'sh', '-c', 'true') } };
    const theirs = { mcpServers: { theirs: routed('theirs', 'sh', '-c', 'steal') } };
    writeFileSync(join(user, '.claude.json'), JSON.stringify(own));
    writeFileSync(join(user, '.mcp.json'), JSON.stringify(theirs));
    const bind = (server: string) =>
      place.sub(['secrets', 'bind', server, '--as', 'A_TOKEN', '--ref', 'piped'], {
        env: { ...process.env, HOME: user },
        cwd: user,
      });
    const { code, stdout, stderr } = await bind('found');
    expect([code, stdout]).toEqual([0, expect.stringContaining('when it is started by `sh -c true`')]);
    expect(stderr).toContain(`\`A_TOKEN\` still stands in \`${user}/.claude.json\``);
    expect((await place.sub(['secrets', 'unbind', 'found'])).code).toBe(0);
    for (const server of ['theirs', 'nobody']) {
      const refused = await bind(server);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('no client of yours starts'),
      ]);
    }
  });

  it('changes no bindings that are written in another form', async () => {
    const before = readFileSync(config(), 'utf8');
    const inline = `secret_bindings = [{ server_name = "a", inject_as = "A_B", secret_ref = "piped", source = "store", command = ["sh"] }]\n`;
    writeFileSync(config(), `${inline}${before}`);
    for (const args of [
      ['secrets', 'unbind', 'a'],
      ['secrets', 'bind', 'b', '--as', 'A_TOKEN', '--ref', 'piped', '--', 'sh'],
    ]) {
      expect((await place.sub(args)).stderr).toContain('error[config_invalid]');
      expect(readFileSync(config(), 'utf8')).toBe(`${inline}${before}`);
    }
    writeFileSync(config(), before);
  });

  it('is refused inside of a run, but for what shows no value', async () => {
    const inside = (args: readonly string[]) =>
      place.sub(
        ['run', '--', process.execPath, SUB, ...args, '--home', place.home.home].flatMap((word) => word),
      );
    for (const args of [
      ['secrets', 'add', 'inner'],
      ['secrets', 'remove', 'piped'],
      ['secrets', 'get', 'piped', '--reveal'],
      ['secrets', 'unbind', 'keeper'],
    ]) {
      const { code, stderr } = await inside(args);
      expect([code, stderr]).toEqual([3, expect.stringContaining('error[inside_run]')]);
    }
    expect((await inside(['secrets', 'list'])).code).not.toBe(3);
  });

  it('binds a secret to its hosts, and says what of them is not on the allowlist', async () => {
    const before = readFileSync(config(), 'utf8');
    const bind = (...more: string[]) =>
      place.sub(['secrets', 'bind', 'api', '--as', 'API_TOKEN', '--ref', 'piped', ...more, '--', 'sh']);
    expect((await bind('--host', '*.example.com')).stderr).toContain(
      '`--host` is wrong: write one exact name',
    );
    expect((await bind('--host', 'api.example.com', '--source', 'env')).code).toBe(2);
    await place.sub(['allow', 'add', 'open.example.com']);
    const { stdout, stderr } = await bind('--host', 'api.example.com', '--host', 'open.example.com:8443');
    expect(stdout).toContain(
      'gets a placeholder as `API_TOKEN` (the secret is put in on the way to `api.example.com`',
    );
    expect(stderr).toContain('`sub allow add api.example.com:443`');
    expect(stderr).not.toContain('open.example.com');
    expect(readFileSync(config(), 'utf8')).toContain(
      'inject = "egress"\nhosts = ["api.example.com", "open.example.com:8443"]\n',
    );
    expect((await place.sub(['secrets', 'get', 'piped'])).stdout).toContain(
      'api gets a placeholder as API_TOKEN, put in on the way to api.example.com, open.example.com:8443',
    );
    expect(place.recorded('secret_changed').at(-1)).toMatchObject({
      secret: { change: 'bound', inject: 'egress', hosts: ['api.example.com', 'open.example.com:8443'] },
    });
    const doctor = await place.sub(['doctor', '--json']);
    expect(doctor.stdout).toContain(
      'secrets are bound to `api.example.com:443`, and that is not on the allowlist',
    );
    expect((await place.sub(['secrets', 'unbind', 'api'])).code).toBe(0);
    expect(readFileSync(config(), 'utf8')).toBe(before);
  });

  it('binds a secret to a header of a remote server, shows where it goes, and takes it back', async () => {
    const before = readFileSync(config(), 'utf8');
    const url = 'https://mcp.example.com/mcp?team=seven';
    const bind = (...more: string[]) => place.sub(['secrets', 'bind', 'linear', '--ref', 'piped', ...more]);
    for (const [args, why] of [
      [['--header', 'Host', '--url', url], '`--header` is wrong: this header says how a request is carried'],
      [['--header', 'Content-Type', '--url', url], '`--header` is wrong: this header says how'],
      [['--header', 'Bad name', '--url', url], '`--header` is wrong: a name of a header'],
      [['--header', 'Authorization'], '`--url` is wrong: write the URL of the server'],
      [
        ['--header', 'A-B', '--url', 'http://mcp.example.com/'],
        '`--url` is wrong: a secret is sent over TLS only',
      ],
      [['--header', 'A-B', '--url', url, '--source', 'env'], '`--source` is wrong: with `inject = "header"`'],
      [['--header', 'A-B', '--url', url, '--source', 'keychain'], '`--source` is wrong'],
      [['--header', 'A-B', '--url', url, '--prefix', 'a\r\nb'], '`--prefix` is wrong'],
      [['--header', 'A-B', '--url', url, '--', 'sh'], '`command` is wrong: a remote server is not started'],
      [['--header', 'A-B', '--as', 'A_B', '--url', url], 'name either a variable or a header'],
      [
        ['--as', 'A_B', '--url', url, '--', 'sh'],
        '`--url` is wrong: a secret of a remote server stands in a header',
      ],
      [['--url', url], 'name either a variable or a header'],
      [['--as', 'A_B'], 'no client of yours starts a routed server `linear`'],
    ] as const) {
      const { code, stderr } = await bind(...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
    }
    const { stdout, stderr } = await bind('--header', 'Authorization', '--prefix', 'Bearer ', '--url', url);
    expect(stdout).toBe(`\`linear\` gets the header \`Authorization\` in requests to \`${url}\`\n`);
    expect(stderr).toBe(
      '`mcp.example.com:443` is not on the allowlist: `sub allow add mcp.example.com:443`\n',
    );
    expect(readFileSync(config(), 'utf8').slice(before.length)).toBe(
      `
[[secret_bindings]]
server_name = "linear"
inject_as = "Authorization"
secret_ref = "piped"
source = "store"
inject = "header"
redact = true
url = "${url}"
prefix = "Bearer "
`,
    );
    expect((await bind('--header', 'authorization', '--url', url)).stderr).toContain('gets a secret as');
    expect((await place.sub(['secrets', 'list'])).stdout).toContain('linear (Authorization)');
    expect((await place.sub(['secrets', 'get', 'piped'])).stdout).toContain(
      `linear gets it in the header Authorization, at ${url}`,
    );
    const { stdout: told } = await place.sub(['secrets', 'get', 'piped', '--json']);
    expect((JSON.parse(told) as { bindings: unknown[] }).bindings).toContainEqual({
      server_name: 'linear',
      inject_as: 'Authorization',
      redact: true,
      inject: 'header',
      url,
      prefix: 'Bearer ',
    });
    expect(place.recorded('secret_changed').at(-1)).toMatchObject({
      secret: { change: 'bound', inject: 'header', url: 'https://mcp.example.com/mcp' },
    });
    expect((await place.sub(['doctor', '--json'])).stdout).toContain(
      'secrets are bound to `mcp.example.com:443`, and that is not on the allowlist',
    );
    expect((await place.sub(['secrets', 'unbind', 'linear', '--as', 'AUTHORIZATION'])).code).toBe(0);
    expect(readFileSync(config(), 'utf8')).toBe(before);
  });

  it('removes a secret, and says which servers now lack it', async () => {
    place.bind({ inject_as: 'KEEPER_TOKEN', secret_ref: 'piped', source: 'store' });
    const { stdout, stderr } = await place.sub(['secrets', 'remove', 'piped']);
    expect(stdout).toBe('removed `piped`\n');
    expect(stderr).toContain('1 binding still names it: such a server does not start');
    expect((await place.sub(['secrets', 'list'])).stdout).toContain('not there');
    const doctor = await place.sub(['doctor', '--json']);
    const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === 'secrets')).toMatchObject({
      level: 'warn',
      message: '`keeper` cannot be started: there is no `piped` (store) for `KEEPER_TOKEN`',
    });
  });

  // Last: a shim makes this process part of a run.
  it('has a server started with what it was bound to', async () => {
    await place.sub(['secrets', 'add', 'last'], { input: VALUE });
    const bind = (variable: string, more: readonly string[]) =>
      place.sub(['secrets', 'bind', 'bound', '--as', variable, '--ref', 'last', ...more, '--', ...SERVER]);
    expect((await bind('KEEPER_TOKEN', [])).code).toBe(0);
    expect((await bind('KEEPER_OPEN', ['--no-redact', '--pass', 'KEEPER_SETTING'])).code).toBe(0);
    const session = await place.open(
      { KEEPER_SETTING: 'set' },
      { server: 'bound', pass: ['KEEPER_SETTING'] },
    );
    expect(await said(session, '${KEEPER_TOKEN} ${KEEPER_OPEN} ${KEEPER_SETTING}')).toMatchObject({
      content: [{ text: '[REDACTED:KEEPER_TOKEN] [REDACTED:KEEPER_TOKEN] set' }],
    });
    await session.close();
  });
});
