import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';

let home: TestHome;
let service: Server;
let port: number;
beforeAll(async () => {
  home = createHome();
  service = createServer((request, response) => {
    request.resume().on('end', () => response.end(`served ${request.method}\u001b[2J`));
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const address = service.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(await sub('up')).toMatchObject({ code: 0 });
});
afterAll(async () => {
  service.close();
  await home.remove();
});

const sub = (...args: string[]) => runSub([...args, '--home', home.home]);

/** The one JSON value that a command prints. */
async function value(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await sub(...args, '--json');
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('the gateway', () => {
  it('`sub status --json` tells of pid, version, socket, home, runs, policy and the ledger’s head', async () => {
    expect(await value('status')).toMatchObject({
      pid: expect.any(Number),
      version: '0.1.0',
      socket: join(home.home, 'run', 'gateway.sock'),
      home: home.home,
      runs: { live: 0, attested: 0, open_calls: 0 },
      policy: { policy_id: 'builtin-observe', mode: 'observe', error: null },
      ledger: {
        seq: expect.any(Number),
        leaf: expect.stringMatching(/^[0-9a-f]{64}$/),
        heads_log: home.headsLog,
      },
    });
  });

  it('`sub up` a second time is done already', async () => {
    const { pid } = await value('status');
    expect(await value('up')).toMatchObject({ started: false, pid });
  });

  it('`sub ledgerd` beside it is refused', async () => {
    const { code, stderr } = await sub('ledgerd');
    expect(code).toBe(1);
    expect(stderr).toContain('error[already_running]');
  });

  it('`sub up` creates a home that is closed to others, `sub down` is done when none runs', async () => {
    const fresh = join(home.root, 'fresh', 'home');
    mkdirSync(join(home.root, 'fresh'));
    try {
      const up = await runSub(['up', '--home', fresh]);
      expect(up.code).toBe(0);
      expect(up.stderr).toBe('');
      expect(statSync(fresh).mode & 0o777).toBe(0o700);
    } finally {
      expect(await runSub(['down', '--home', fresh])).toMatchObject({ code: 0 });
    }
    expect(await runSub(['down', '--home', fresh])).toMatchObject({
      code: 0,
      stdout: 'no gateway is running\n',
    });
    const status = await runSub(['status', '--home', fresh]);
    expect(status.code).toBe(5);
    expect(status.stderr).toMatch(/^error\[gateway_unreachable\]: .*\nhelp: run `sub up`/);
  });

  it('reads SUB_HOME where no --home is given, and creates nothing for a verb that only asks', async () => {
    const env = { ...process.env, SUB_HOME: home.home };
    expect(await runSub(['status'], { env })).toMatchObject({ code: 0 });
    const missing = join(home.root, 'missing');
    expect(await runSub(['status'], { env: { ...env, SUB_HOME: missing } })).toMatchObject({ code: 5 });
    const unasked = await runSub(['uninstall'], { env: { ...env, SUB_HOME: missing } });
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toContain(
      'nobody answered: `--yes` says that it may be done\nnothing was changed\n',
    );
    expect(existsSync(missing)).toBe(false);
  });
});

describe('an account that lacks something', () => {
  const AT = ['--address', 'ada@example.com'];
  it.each([
    [['email', '--imap', 'i.example'], '`--address` is missing', 'expected there: a text'],
    [
      ['email', '--imap', 'i.example', '--address', 'ada'],
      '`--address` has a value that is not allowed',
      'expected there: an e-mail address',
    ],
    [['email', ...AT], '`--imap` is missing', 'give an IMAP or an SMTP server'],
    [
      ['email', ...AT, '--imap', 'i.example', '--imap-security', 'none'],
      '`--imap-security` has a value that is not allowed',
      'expected there: `tls` or `starttls`',
    ],
    [['calendar', '--url', 'https://cal.example'], '`--user` is missing', 'expected there: a text'],
    [
      ['api', '--origin', 'http://api.example'],
      '`--origin` has a value that is not allowed',
      'write it as `https://HOST`, without a path or a user name',
    ],
  ])('is told of by its flags: %j', async ([kind = '', ...flags], message, help) => {
    const { code, stderr } = await sub('account', 'add', kind, 'work', ...flags);
    expect([code, stderr]).toEqual([
      2,
      `error[usage]: ${message}\nhelp: ${help}; see \`sub help account add\`\n`,
    ]);
  });
});

describe('a config.toml that the gateway does not take', () => {
  it.each([
    ['Autostart = true', 1, 'config_invalid', '`Autostart` is not known'],
    ['autostart = "yes"', 1, 'config_invalid', '`autostart` is a text; expected there: `true` or `false`'],
    ['= 1', 1, 'config_invalid', 'line 2'],
    ['fail_open_read_tools = true', 1, 'config_invalid', '`fail_open_read_tools` is not known'],
    ['hooks = true', 2, 'not_available', '`hooks`'],
  ])('with `%s` ends `sub up` with exit code %d and the reason', async (config, code, error, message) => {
    const wrong = createHome({ config: `${config}\n` });
    try {
      const outcome = await runSub(['up', '--home', wrong.home]);
      expect(outcome.code).toBe(code);
      expect(outcome.stderr).toContain(`error[${error}]: the gateway does not start: `);
      expect(outcome.stderr).toContain(message);
      expect(outcome.stderr).toContain('help: correct the file');
    } finally {
      await wrong.remove();
    }
  });
});

describe('the allowlist', () => {
  it('is empty until someone adds a host', async () => {
    expect((await sub('allow', 'list')).stdout).toBe(
      'the allowlist is empty: no action reaches any host, and in enforce no connection\n',
    );
    const { code, stderr } = await sub('call', 'service.api_call', '--url', `http://127.0.0.1:${port}/`);
    expect(code).toBe(3);
    expect(stderr).toContain('error[not_allowed]: ');
    expect(stderr).toContain(`help: \`sub allow add 127.0.0.1:${port} --private\`\n`);
    const nowhere = await sub('call', 'service.api_call', '--url', 'http://224.0.0.1/');
    expect([nowhere.code, nowhere.stderr.includes('help: ')]).toEqual([3, false]);
  });

  it('tells what lets a name lead to a private address', async () => {
    await value('allow', 'add', `localhost:${port}`);
    const { code, stderr } = await sub('call', 'service.api_call', '--url', `http://localhost:${port}/`);
    const { id } = await value('allow', 'add', 'localhost', '--private');
    expect(code).toBe(3);
    expect(stderr).toContain('error[address_refused]: ');
    expect(stderr).toContain(`help: where that is meant: \`sub allow add localhost:${port} --private\`\n`);
    expect(await sub('allow', 'remove', 'localhost')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`localhost` has 2 entries\nhelp: name one by its id: '),
    });
    expect(await sub('allow', 'remove', String(id))).toMatchObject({ code: 0 });
    expect(await sub('allow', 'remove', 'LOCALHOST')).toMatchObject({
      code: 0,
      stdout: 'removed `localhost`\n',
    });
    expect((await sub('allow', 'remove', 'localhost')).stderr).toContain('error[not_found]');
  });

  it('lets an action through once its host is on it, and no longer when it is deactivated', async () => {
    const entry = await value('allow', 'add', `127.0.0.1:${port}`, '--protocol', 'http', '--private');
    expect(entry).toMatchObject({
      domain: '127.0.0.1',
      port,
      protocol: 'http',
      is_active: true,
      allow_private: true,
    });
    const url = `http://127.0.0.1:${port}/`;
    const answer = await sub('call', 'service.api_call', '--url', url);
    expect(answer).toMatchObject({ code: 0, stdout: 'served GET\\x1b[2J\n' });
    expect(await value('call', 'service.api_call', '--url', url)).toMatchObject({
      status: 'success',
      audit_ref: expect.stringMatching(/^\d+\.[0-9a-f]{64}$/),
      data: { status: 200, body: 'served GET\u001b[2J' },
    });

    expect(await sub('allow', 'deactivate', String(entry['id']))).toMatchObject({ code: 0 });
    expect(await value('allow', 'list')).toMatchObject({ is_active: false });
    expect((await sub('call', 'service.api_call', '--url', url)).code).toBe(3);
    expect(await sub('allow', 'remove', String(entry['id']))).toMatchObject({ code: 0 });
    expect((await sub('allow', 'remove', String(entry['id']))).code).toBe(1);
  });

  it.each([
    ['*.example.com', 2, 'invalid_domain'],
    ['https://example.com', 2, 'usage'],
    ['10.0.0.1', 3, 'address_refused'],
    ['224.0.0.1', 3, 'address_refused'],
  ])('refuses `%s` with exit code %d', async (host, code, error) => {
    const outcome = await sub('allow', 'add', host);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(`error[${error}]`);
    expect(outcome.stderr).toContain('help: ');
  });
});

describe('approvals', () => {
  it('an answer of the operator lets the same payload through, once', async () => {
    await value('allow', 'add', `127.0.0.1:${port}`, '--private');
    const payload = join(home.root, 'payload.json');
    const endpoint = `http://127.0.0.1:${port}/`;
    const body = 'x'.repeat(1_100_000);
    writeFileSync(payload, JSON.stringify({ service: 's', endpoint, method: 'POST', body }));
    const ask = () => sub('call', 'service.api_call', '--payload', `@${payload}`);

    const waiting = await ask();
    expect(waiting.code).toBe(3);
    const id = /sub approvals approve (\S+)`/.exec(waiting.stderr)?.[1] ?? '';
    expect(await value('approvals', 'list')).toMatchObject({
      id,
      state: 'pending',
      flags: expect.arrayContaining(['large_payload']),
    });
    expect(await sub('approvals', 'approve', id)).toMatchObject({ code: 0 });
    expect(await ask()).toMatchObject({ code: 0, stdout: 'served POST\\x1b[2J\n' });
    expect((await ask()).code).toBe(3);
    expect((await sub('approvals', 'deny', 'no-such-id')).stderr).toContain('error[approval_not_found]');
  });
});

describe('sub call', () => {
  it.each([
    [['email.fetch', '--payload', '{"folder":"inbox"}'], 1, 'account_unknown'],
    [['email.send', '--payload', '{}'], 2, 'invalid_request'],
    [['no.such.action', '--payload', '{}'], 2, 'invalid_request'],
    [['service.api_call'], 2, 'usage'],
    [['service.api_call', '--payload', '[1]'], 2, 'usage'],
    [['service.api_call', '--payload', '{"a":1,"a":2}'], 1, 'invalid_json'],
    [['service.api_call', '--payload', '@/nonexistent'], 2, 'usage'],
  ])('%j exits %d', async (args, code, error) => {
    const outcome = await sub('call', ...args);
    expect(outcome.stderr).toContain(`error[${error}]`);
    expect(outcome.code).toBe(code);
  });
});

describe('the policy', () => {
  const good = `policy_id: p\nversion: "7"\nmode: observe\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n`;
  const file = () => join(home.home, 'policy.yaml');

  it('`sub policy lint` passes a good file, and names each mistake of a bad one with its place', async () => {
    const path = join(home.root, 'p.yaml');
    writeFileSync(path, good);
    expect(await sub('policy', 'lint', path)).toMatchObject({
      code: 0,
      stdout: 'ok: `p` 7, mode observe, 0 warnings\n',
    });
    writeFileSync(path, good.replace('rules', 'rulez'));
    const { code, stdout } = await sub('policy', 'lint', path);
    expect(code).toBe(1);
    expect(stdout).toContain(`${path}:6:1: error[unknown_key]: the key \`rulez\` is not known here`);
    expect(await value('policy', 'lint', path)).toMatchObject({ ok: false, problems: expect.any(Array) });
  });

  it('`sub policy diff current FILE` compares with what the gateway has loaded', async () => {
    const path = join(home.root, 'next.yaml');
    writeFileSync(path, good.replace('"7"', '"8"').replace('selectors: {}', 'selectors: { env: [ci] }'));
    expect(await value('policy', 'diff', 'current', path)).toMatchObject({
      old: { policy_id: 'builtin-observe' },
      new: { policy_id: 'p', policy_version: '8' },
      changes: expect.arrayContaining([expect.objectContaining({ kind: 'selectors', severity: 'warn' })]),
    });
    expect((await sub('policy', 'diff', path, 'current', '--fail-on', 'critical')).code).toBe(3);
    expect(await value('policy', 'diff', 'current', 'current')).toMatchObject({ changes: [] });
    // What is replayed is what the gateway has loaded, and not the file that lies there.
    expect(await value('policy', 'replay', 'current')).toMatchObject({
      kind: 'summary',
      policy: (await value('policy', 'diff', 'current', path))['old'],
    });
  });

  it('`sub policy reload` loads a good file, and keeps it when a bad one follows', async () => {
    writeFileSync(file(), good, { mode: 0o600 });
    expect((await sub('policy', 'reload')).code).toBe(0);
    expect(await value('policy', 'show')).toMatchObject({ policy_id: 'p', policy_version: '7', error: null });
    writeFileSync(file(), good.replace('"7"', '"8"').replace('observe', 'strict'));
    const { code, stderr } = await sub('policy', 'reload');
    expect(code).toBe(1);
    expect(stderr).toContain('error[policy_invalid]');
    expect(await value('policy', 'show')).toMatchObject({
      policy_version: '7',
      error: { code: 'policy_invalid' },
    });
    expect((await sub('status')).stdout).toMatch(
      /^policy +p 7,.*\nmistake +policy\.yaml is not in force: line 3: .+; the policy above decides until it is mended: `sub policy lint` shows every mistake$/m,
    );
    const remark = new RegExp(
      `policy\\.yaml is not in force, and the last one that loaded decides: ${join(home.home, 'policy.yaml')}:[0-9]+:[0-9]+: .+; see \`sub policy lint\``,
    );
    for (const verb of [['up'], ['up', '--restart']])
      expect(await sub(...verb)).toMatchObject({ code: 0, stderr: expect.stringMatching(remark) });
    const run = await runSub(['run', '--home', home.home, '--', process.execPath, '-e', '']);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(remark) });
  });
});

describe('sub doctor', () => {
  it('passes a good home', async () => {
    writeFileSync(
      join(home.home, 'policy.yaml'),
      `policy_id: p\nversion: "9"\nmode: observe\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n`,
    );
    const report = (await value('doctor')) as { ok: boolean; checks: { name: string; level: string }[] };
    expect(report.checks.filter((check) => check.level === 'fail')).toEqual([]);
    expect(report.ok).toBe(true);
    const names = report.checks.map((check) => check.name);
    for (const name of ['node', 'home', 'permissions', 'gateway', 'clock', 'sqlite', 'disk', 'fsync']) {
      expect(names).toContain(name);
    }
  });

  it('fails a home that others can read, and says what to do', async () => {
    chmodSync(home.ledger, 0o644);
    try {
      const { code, stdout } = await sub('doctor');
      expect(stdout).toContain(
        'not seen: the tools that are built into a client without hooks (Bash, Write, Edit,',
      );
      expect(code).toBe(1);
      expect(stdout).toContain(`help: run \`chmod 600 ${home.ledger}\``);
    } finally {
      chmodSync(home.ledger, 0o600);
    }
  });

  it('says what decides where there is no policy file', async () => {
    const bare = createHome();
    try {
      const { stdout } = await runSub(['doctor', '--home', bare.home]);
      expect(stdout).toMatch(/warn +policy +no policy\.yaml: .* where none was, nothing is refused/);
    } finally {
      await bare.remove();
    }
  });

  const lineOf = async (name: string): Promise<string> => {
    const { stdout } = await sub('doctor');
    return stdout.split('\n').find((line) => line.includes(` ${name} `)) ?? '';
  };
  /** Writes `config.toml` with these lines besides, and waits until the gateway has read it. */
  const save = async (lines: string): Promise<void> => {
    const before = JSON.stringify((await value('status'))['config']);
    const text = `heads_log = ${JSON.stringify(home.headsLog)}\n${lines}`;
    writeFileSync(join(home.home, 'config.toml'), text, { mode: 0o600 });
    await eventually(
      'config.toml is read',
      async () => JSON.stringify((await value('status'))['config']) !== before,
    );
  };

  it('says what becomes of names that are not listed by trying one, and only where a gateway runs', async () => {
    expect(await lineOf('egress')).toMatch(
      /^warn +egress +connections to places that are not on the allowlist pass, private ones too, and are recorded/,
    );
    await save('[egress]\nmode = "enforce"\n');
    expect(await lineOf('config')).toMatch(/^ok +config .*, as the gateway has read it$/);
    expect(await lineOf('egress')).toMatch(
      /^ok +egress +only listed .*: a name that is not listed was tried, and refused; the proxy listens on 127/,
    );
    const asked = await sub('query', '--action', 'net.connect');
    expect(asked.stdout).toContain('doctor.subluminal.invalid:443');
    expect((await sub('allow', 'seen')).stdout).not.toContain('doctor.subluminal.invalid');

    const idle = createHome({ config: '[egress]\nmode = "enforce"\n' });
    const { stdout } = await runSub(['doctor', '--home', idle.home]);
    await idle.remove();
    expect(stdout).toMatch(
      /warn +egress +no gateway is running, so nothing is held back; .* asks for `enforce`/,
    );
  });

  it('names the settings that wait for a restart, and a file that is not in force, as `sub status` and `sub up` do', async () => {
    await save('durability = "process"\n');
    const waits = 'config.toml has changed since the gateway started: `durability` is not in force yet';
    expect((await lineOf('config')).replaceAll(/ +/g, ' ')).toContain(`warn config ${waits}`);
    expect((await sub('status')).stdout).toContain(`${waits}; run \`sub up --restart\``);
    expect((await sub('up')).stderr).toContain(waits);
    await save('[egress]\nmode = "enfroce"\n');
    const broken = 'config.toml is not in force, and the settings of before are:';
    expect(await lineOf('config')).toContain(broken);
    expect((await sub('status')).stdout).toContain(broken);
    expect((await sub('up')).stderr).toContain(broken);
    await save('');
    expect(await lineOf('config')).toMatch(/^ok /);
  });

  it('fails a config with a mistake', async () => {
    const broken = createHome({ config: 'autostrat = true\n' });
    try {
      const { code, stdout } = await runSub(['doctor', '--home', broken.home]);
      expect(code).toBe(1);
      expect(stdout).toMatch(/fail +config .*autostrat/);
    } finally {
      await broken.remove();
    }
  });
});
