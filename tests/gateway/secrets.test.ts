import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { canonicalize, sha256Hex } from '@subluminal/core-types';
import { processIdentity, type GatewayClient } from '@subluminal/ipc';
import type { EntryInput } from '@subluminal/ledger';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { between } from './between.js';
import { bundle, budget, deny } from './policy-bundle.js';
import { dataOf, start, type TestGateway, type TestRun, toolCall, toolEnd } from './harness.js';

const VALUE = 'value-4711-of-the-store';
const SALT = 's'.repeat(24);
const COMMAND = ['/usr/bin/env', 'server'];
const ARGV = sha256Hex(canonicalize(COMMAND));
const CONFIG = `[[secret_bindings]]
server_name = "github"
inject_as = "GITHUB_TOKEN"
secret_ref = "token"
source = "store"
command = ${JSON.stringify(COMMAND)}

[[secret_bindings]]
server_name = "github"
inject_as = "OTHER"
secret_ref = "MY_OTHER"
source = "env"
command = ${JSON.stringify(COMMAND)}
`;

const OF_FILE = 'value-5822-of-a-file';
/** A further binding of the server. */
const binding = (more: Readonly<Record<string, unknown>>): string =>
  `[[secret_bindings]]\n${Object.entries({ server_name: 'github', command: COMMAND, ...more })
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('')}`;

let tokens = 0;
/** The token of a server that no other test has. */
function newToken(): string {
  tokens += 1;
  return `token-${String(tokens).padStart(20, '0')}`;
}

async function began(client: GatewayClient, server_name = 'github', argv_hash = ARGV): Promise<string> {
  const token = newToken();
  const shim = processIdentity(process.pid);
  const begin = { shim_id: 'shim-1', proc_id: 'proc-1', server_name, argv_hash, token, shim };
  expect((await client.request('upstream.begin', begin)).status).toBe('success');
  return token;
}

const asked = (token: string, more: Readonly<Record<string, unknown>> = {}) => ({
  shim_id: 'shim-1',
  token,
  server_name: 'github',
  argv_hash: ARGV,
  pass: [],
  ...more,
});
const held = (token: string, values: readonly unknown[], shim_id = 'shim-1') => ({
  shim_id,
  token,
  salt: SALT,
  values,
});

async function ready(
  config = CONFIG,
): Promise<{ world: TestGateway; run: TestRun; operator: GatewayClient }> {
  const world = await start({ config });
  const operator = await world.operator();
  const added = await operator.request('secrets.add', { name: 'token', value: VALUE, salt: SALT });
  expect(added).toMatchObject({ status: 'success', data: { name: 'token', change: 'added' } });
  return { world, operator, run: await world.run() };
}

const wrote = (world: TestGateway): string =>
  [world.paths.ledgerDb, `${world.paths.ledgerDb}-wal`]
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'latin1'))
    .join('');

describe('a secret leaves', () => {
  it('once for a server that was announced with its command line, after that is recorded', async () => {
    const { world, run } = await ready();
    const token = await began(run.client);
    const answer = await run.client.request('secrets.release', asked(token));
    expect(dataOf(answer)).toEqual({
      program: '/usr/bin/env',
      pass: [],
      secrets: [
        { inject_as: 'GITHUB_TOKEN', secret_ref: 'token', source: 'store', redact: true, value: VALUE },
        { inject_as: 'OTHER', secret_ref: 'MY_OTHER', source: 'env', redact: true },
      ],
    });
    expect(world.rows('secret_injection')).toMatchObject([
      {
        runId: run.id,
        data: { secret: { server_name: 'github', inject_as: 'GITHUB_TOKEN', success: true } },
      },
    ]);
    const again = await run.client.request('secrets.release', asked(token));
    expect(again).toMatchObject({ status: 'error', error: { code: 'secret_refused' } });
    const told = held(token, [{ inject_as: 'OTHER', value: 'of-a-variable' }]);
    expect((await run.client.request('secrets.injected', told)).status).toBe('success');
    expect(world.rows('secret_injection')).toMatchObject([
      { data: { secret: { inject_as: 'GITHUB_TOKEN', source: 'store', success: true } } },
      { data: { secret: { server_name: 'github', inject_as: 'OTHER', source: 'env', success: true } } },
    ]);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('for nobody else: another shim, run, server, command line, or token', async () => {
    const { world, run } = await ready();
    const token = await began(run.client);
    const other = await world.run();
    const otherToken = await began(other.client, 'other');
    const code = async (client: GatewayClient, payload: unknown): Promise<string | undefined> =>
      (await client.request('secrets.release', payload)).error?.code;
    expect(await code(other.client, asked(token))).toBe('not_found');
    expect(await code(run.client, asked(token, { shim_id: 'shim-2' }))).toBe('not_found');
    expect(await code(run.client, asked(newToken()))).toBe('not_found');
    expect(await code(other.client, asked(otherToken))).toBe('secret_refused');
    expect(await code(run.client, asked(token, { argv_hash: sha256Hex('[]') }))).toBe('secret_refused');
    const lie = await began(run.client, 'github', sha256Hex(canonicalize(['/usr/bin/printenv'])));
    expect(await code(run.client, asked(lie))).toBe('secret_refused');
    const hash = sha256Hex(canonicalize(['/usr/bin/printenv']));
    expect(await code(run.client, asked(lie, { argv_hash: hash }))).toBe('secret_refused');
    expect(await code(run.client, asked(token, { pass: ['LD_PRELOAD'] }))).toBe('secret_refused');
    expect(await code(await world.operator(), asked(token))).toBe('not_permitted');
    expect(world.rows('secret_injection')).toEqual([]);
    expect(world.rows('action_rejected')).toHaveLength(9);
  });

  it('not after its run has ended, nor while everything is stopped', async () => {
    const { world, run, operator } = await ready();
    const token = await began(run.client);
    await operator.request('run.end', { run_id: run.id, status: 'CANCELLED' });
    await expect(run.client.request('secrets.release', asked(token))).rejects.toMatchObject({
      code: 'gateway_unreachable',
    });
    expect(world.rows('secret_injection')).toEqual([]);
    const next = await world.run();
    const nextToken = await began(next.client);
    await operator.request('panic.begin', { reason: 'a test' });
    const code = await next.client.request('secrets.release', asked(nextToken)).then(
      ({ error }) => error?.code,
      () => 'closed',
    );
    expect(['panicked', 'run_ended', 'closed']).toContain(code);
    expect(world.rows('secret_injection')).toEqual([]);
  });

  it('not while the configuration has a mistake, and anew as soon as it has none', async () => {
    const { world, run } = await ready();
    const token = await began(run.client);
    writeFileSync(world.paths.config, `${CONFIG}\nnot toml`);
    const refused = await run.client.request('secrets.release', asked(token));
    expect(refused.error?.code).toBe('config_invalid');
    writeFileSync(world.paths.config, '');
    const without = await run.client.request('secrets.release', asked(token));
    expect(dataOf(without)).toEqual({ secrets: [] });
    const next = await began(run.client);
    writeFileSync(world.paths.config, CONFIG);
    expect(dataOf(await run.client.request('secrets.release', asked(next)))['program']).toBe('/usr/bin/env');
  });

  it('at most 120 times a minute for one run', async () => {
    const { run } = await ready('');
    const token = await began(run.client);
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 121; n += 1)
      codes.push((await run.client.request('secrets.release', asked(token))).error?.code);
    expect(codes.slice(1, 120).every((code) => code === 'secret_refused')).toBe(true);
    expect(codes[120]).toBe('rate_limited');
  });
});

describe('what a run has recorded', () => {
  it('holds no secret of its servers, from whichever side it comes, also after a restart', async () => {
    const { world, run } = await ready();
    const token = await began(run.client);
    await run.client.request('secrets.release', asked(token));
    const say = async (client: GatewayClient): Promise<void> => {
      const call = toolCall({ args: { path: `a ${VALUE}`, [VALUE]: 1 } });
      await client.request('tool.call.begin', call);
      const preview = { truncated: false, result_preview: `{"text":"${VALUE}"}` };
      const error = { class: 'upstream_error', message: `it was ${VALUE}`, code: VALUE };
      await client.request('tool.call.end', toolEnd(call.call_id, { status: 'ERROR', preview, error }));
      // Names are what rules and readers go by: one that holds a secret is not recorded, and so not called.
      for (const named of [{ tool_name: `tool ${VALUE}` }, { server_name: VALUE }]) {
        const refused = await client.request('tool.call.begin', toolCall(named));
        expect(refused).toMatchObject({ status: 'error', error: { code: 'secret_refused' } });
      }
    };
    await say(run.client);
    await world.restart();
    const client = await world.connect(run.credential);
    const known = held(token, [{ inject_as: 'GITHUB_TOKEN', value: VALUE }]);
    await say(client);
    expect((await client.request('secrets.held', known)).status).toBe('success');
    // It was read again.
    expect(world.rows('secrets_told')).toEqual([]);
    expect(world.rows('tool_call_end')).toHaveLength(2);
    expect(wrote(world)).not.toContain(VALUE);
    expect(wrote(world)).toContain('[REDACTED:GITHUB_TOKEN]');
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('holds no part of one that looks like a credential in part', async () => {
    const { world, run, operator } = await ready();
    const url = 'postgres://app:hunter22@db-7f3a.internal.example/prod?sslkey=9f8e7d6c';
    await operator.request('secrets.add', { name: 'url', value: url, salt: SALT });
    await operator.request('secrets.add', {
      name: 'token',
      value: 'Tr0ub4dor&3-horse',
      salt: SALT,
      replace: true,
    });
    const more = { inject_as: 'URL', secret_ref: 'url', source: 'store' };
    writeFileSync(world.paths.config, `${readFileSync(world.paths.config, 'utf8')}\n${binding(more)}`);
    const token = await began(run.client);
    expect((await run.client.request('secrets.release', asked(token))).status).toBe('success');
    const text = `PASSWORD=Tr0ub4dor&3-horse at ${url}`;
    const call = toolCall({ server_name: 'other', args: { text } });
    expect((await run.client.request('tool.call.begin', call)).status).toBe('success');
    const preview = { truncated: false, result_preview: JSON.stringify({ text }) };
    const error = { class: 'upstream_error', message: text };
    await run.client.request('tool.call.end', toolEnd(call.call_id, { status: 'ERROR', preview, error }));
    expect(world.rows('tool_call_end')).toHaveLength(1);
    expect(wrote(world)).not.toMatch(/horse|db-7f3a|9f8e/);
    expect(wrote(world)).toContain('PASSWORD=[REDACTED] at [REDACTED]');
  });

  it('holds none that a server had which has ended, or whose shim says nothing, also after a restart', async () => {
    const { world, run } = await ready();
    const path = `${world.paths.home}/secret`;
    writeFileSync(path, OF_FILE, { mode: 0o600 });
    const file = { inject_as: 'FILE', secret_ref: path, source: 'file', redact: false };
    writeFileSync(world.paths.config, `${readFileSync(world.paths.config, 'utf8')}\n${binding(file)}`);
    const token = await began(run.client);
    await run.client.request('secrets.release', asked(token));
    const ended = { shim_id: 'shim-1', token, exit_code: 0, signal: null };
    expect((await run.client.request('upstream.end', ended)).status).toBe('success');
    for (const _ of [1, 2]) {
      await world.restart();
      const client = await world.connect(run.credential);
      for (const value of [VALUE, OF_FILE]) {
        const call = toolCall({ server_name: 'other', args: { text: `a ${value}` } });
        expect((await client.request('tool.call.begin', call)).status).toBe('success');
        const named = toolCall({ server_name: 'other', tool_name: `tool ${value}` });
        expect((await client.request('tool.call.begin', named)).error?.code).toBe('secret_refused');
      }
      client.close();
    }
    expect(wrote(world)).not.toContain(VALUE);
    expect(wrote(world)).not.toContain(OF_FILE);
    expect(wrote(world)).toContain('[REDACTED:FILE]');
  });

  it('holds no free text at all after a restart while a secret is unknown, until it is told or the run ends', async () => {
    const { world, run } = await ready();
    const token = await began(run.client);
    await run.client.request('secrets.release', asked(token));
    const told = held(token, [{ inject_as: 'OTHER', value: 'of-a-variable' }]);
    await run.client.request('secrets.injected', told);
    await world.restart();
    const client = await world.connect(run.credential);
    const other = await world.run();
    const say = async (by: GatewayClient, text: string): Promise<void> => {
      const call = toolCall({ args: { text: `of-a-variable ${text}` } });
      expect((await by.request('tool.call.begin', call)).status).toBe('success');
      const preview = { truncated: false, result_preview: `"of-a-variable ${text}"` };
      const error = { class: 'upstream_error', message: `of-a-variable ${text}`, code: 'x' };
      await by.request('tool.call.end', toolEnd(call.call_id, { status: 'ERROR', preview, error }));
    };
    await say(client, 'unheard');
    const named = toolCall({ tool_name: 'of-a-variable' });
    expect((await client.request('tool.call.begin', named)).error?.code).toBe('secret_refused');
    expect(wrote(world)).not.toMatch(/of-a-variable|unheard/);
    expect(wrote(world)).toContain('[REDACTED:untold secret]');
    await say(other.client, 'elsewhere');
    expect(wrote(world)).toContain('"of-a-variable elsewhere"');
    expect((await client.request('secrets.held', told)).status).toBe('success');
    await say(client, 'heard');
    expect(wrote(world)).toContain('"[REDACTED:OTHER] heard"');
  });

  it('loses nothing to a run that calls a secret what was released under no name, or to another run', async () => {
    const { world, run } = await ready();
    const token = await began(run.client);
    await run.client.request('secrets.release', asked(token));
    const text = 'rm -rf /everything';
    for (const action of ['secrets.held', 'secrets.injected']) {
      const answer = await run.client.request(action, held(token, [{ inject_as: 'MINE', value: text }]));
      expect(answer.error?.code).toBe('secret_refused');
    }
    const other = await world.run();
    await other.client.request('tool.call.begin', toolCall({ args: { path: VALUE } }));
    await run.client.request('tool.call.begin', toolCall({ args: { path: text } }));
    expect(wrote(world)).toContain(text);
    expect(wrote(world)).toContain(VALUE);
  });
});

describe('what a run says that its servers have', () => {
  const LIMITED = bundle([
    deny('no-danger', 'danger', { message: 'never no-danger' }),
    budget('five-calls', {}, 5),
  ]);
  /** A process that is killed keeps nothing: what the ledger says is counted again. */
  const killed = async (world: TestGateway): Promise<void> => {
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.exec('DELETE FROM limits_mark; DELETE FROM run_limits');
    db.close();
  };
  const code = async (client: GatewayClient, action: string, payload: unknown): Promise<unknown> =>
    (await client.request(action, payload)).error?.code;

  it('is what was released to them, and what was told once of the variables of their client, also after a restart', async () => {
    const { world, run } = await ready();
    const token = await began(run.client);
    await run.client.request('secrets.release', asked(token));
    const told = (name: string, value: string): unknown => held(token, [{ inject_as: name, value }]);
    expect(await code(run.client, 'secrets.held', told('OTHER', 'of-a-variable'))).toBe('secret_refused');
    for (const value of ['charge', '1234567', '        ', `${VALUE}!`])
      for (const action of ['secrets.held', 'secrets.injected'])
        expect(await code(run.client, action, told('GITHUB_TOKEN', value))).toBe('secret_refused');
    for (const value of ['charge', '12345678', 'x'.repeat(7)])
      expect(await code(run.client, 'secrets.injected', told('OTHER', value))).toBe('secret_refused');
    expect(await code(run.client, 'secrets.injected', told('OTHER', 'of-a-variable'))).toBeUndefined();
    expect(await code(run.client, 'secrets.injected', told('OTHER', 'of-a-variable'))).toBeUndefined();
    const both = held(token, [
      { inject_as: 'OTHER', value: 'of-a-variable' },
      { inject_as: 'OTHER', value: 'another-one' },
    ]);
    for (const payload of [told('OTHER', 'another-one'), both]) {
      expect(await code(run.client, 'secrets.injected', payload)).toBe('secret_refused');
      expect(await code(run.client, 'secrets.held', payload)).toBe('secret_refused');
    }
    await world.restart();
    const client = await world.connect(run.credential);
    expect(await code(client, 'secrets.held', told('OTHER', 'another-one'))).toBe('secret_refused');
    expect(await code(client, 'secrets.held', told('OTHER', 'of-a-variable'))).toBeUndefined();
    await client.request('tool.call.begin', toolCall({ args: { text: 'another-one of-a-variable' } }));
    expect(wrote(world)).toContain('{"text":"another-one [REDACTED:OTHER]"}');
    expect(readFileSync(world.paths.gatewayDb, 'latin1')).not.toContain('of-a-variable');
  });

  it('changes nothing of who did what, what was decided, by which rule, and what was charged', async () => {
    const names = ['no-danger', 'DENYLIST_MATCH', 'five-calls', 'args_hash', 'gateway_block', 'danger'];
    const bindings = names.map(
      (_, at) => `[[secret_bindings]]
server_name = "github"
inject_as = "V${at}"
secret_ref = "V${at}"
source = "env"
redact = false
command = ${JSON.stringify(COMMAND)}
`,
    );
    const world = await start({ config: bindings.join('\n'), policy: LIMITED });
    const run = await world.run();
    const call = async (client: GatewayClient): Promise<unknown> =>
      dataOf(
        await client.request('tool.call.begin', toolCall({ tool_name: 'danger', args: { a: 'no-danger' } })),
      );
    await call(run.client);
    const token = await began(run.client);
    await run.client.request('secrets.release', asked(token));
    const codes: unknown[] = [];
    for (const [at, value] of names.entries()) {
      const payload = held(token, [{ inject_as: `V${at}`, value }]);
      codes.push(await code(run.client, 'secrets.injected', payload));
    }
    expect(codes).toEqual([undefined, undefined, undefined, undefined, undefined, 'secret_refused']);
    await call(run.client);
    const [before, after] = world.rows('tool_call_decision');
    expect(after).toMatchObject({
      tool: ['fs', 'danger'],
      code: 'BLOCK',
      data: {
        call: { args_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        decision: {
          action: 'BLOCK',
          rule_id: 'no-danger',
          explain: { reason_code: 'DENYLIST_MATCH', summary: 'never [REDACTED:V0]' },
        },
      },
    });
    expect(after?.data['facts']).toEqual(before?.data['facts']);
    expect(world.rows('tool_call_end').at(-1)?.data['error']).toMatchObject({
      code: 'DENYLIST_MATCH',
      message: 'never [REDACTED:V0]',
    });
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it.each(['closed', 'open'])(
    'ends the run whose charges cannot be read again, its call being %s',
    async (left) => {
      const hidden = ({ data, ...entry }: EntryInput): EntryInput => {
        const { facts, ...rest } = data;
        if (entry.type !== 'tool_call_decision' || facts === undefined) return { ...entry, data };
        return { ...entry, data: { ...rest, facts: { '[REDACTED:TOK]': facts } } };
      };
      const world = await start({
        policy: LIMITED,
        wrapLedger: between((group, next) => next({ ...group, entries: group.entries.map(hidden) })),
      });
      const run = await world.run();
      const call = toolCall();
      await run.client.request('tool.call.begin', call);
      if (left === 'closed') await run.client.request('tool.call.end', toolEnd(call.call_id));
      await killed(world);
      await world.restart();
      expect(world.rows('run_end')).toMatchObject([
        {
          runId: run.id,
          code: 'CANCELLED',
          data: { run: { message: expect.stringContaining('could not count again') } },
        },
      ]);
    },
  );

  it('gives no limit back when the gateway is killed', async () => {
    const { world, run } = await ready();
    writeFileSync(world.paths.policy, LIMITED, { mode: 0o600 });
    await world.restart();
    const client = await world.connect(run.credential);
    const token = await began(client);
    await client.request('secrets.release', asked(token));
    for (const value of ['five-calls', 'charge', 'items'])
      await client.request('secrets.injected', held(token, [{ inject_as: 'OTHER', value }]));
    const passed = async (through: GatewayClient): Promise<number> => {
      let count = 0;
      for (let n = 0; n < 5; n += 1)
        if ((await through.request('tool.call.begin', toolCall())).status === 'success') count += 1;
      return count;
    };
    expect(await passed(client)).toBe(5);
    await killed(world);
    await world.restart();
    expect(await passed(await world.connect(run.credential))).toBe(0);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });
});

describe('the store', () => {
  it('is asked by the operator alone', async () => {
    const { run } = await ready();
    for (const action of [
      'secrets.list',
      'secrets.add',
      'secrets.remove',
      'secrets.reveal',
      'secrets.bound',
    ]) {
      const payload =
        action === 'secrets.list'
          ? {}
          : action === 'secrets.add'
            ? { name: 'x', value: VALUE, salt: SALT }
            : action === 'secrets.bound'
              ? {
                  change: 'bound',
                  server_name: 'a',
                  inject_as: 'A',
                  secret_ref: 'token',
                  source: 'store',
                  redact: true,
                  argv_hash: ARGV,
                }
              : { name: 'token' };
      expect((await run.client.request(action, payload)).error?.code).toBe('not_permitted');
    }
  });

  it('keeps values over a restart, replaces none that it was not asked to, and names what is gone', async () => {
    const { world, operator } = await ready();
    const taken = await operator.request('secrets.add', {
      name: 'token',
      value: 'another-value',
      salt: SALT,
    });
    expect(taken.error?.code).toBe('usage');
    await world.restart();
    const client = await world.operator();
    expect(dataOf(await client.request('secrets.reveal', { name: 'token' }))).toEqual({
      name: 'token',
      value: VALUE,
    });
    expect((await client.request('secrets.remove', { name: 'token' })).status).toBe('success');
    expect((await client.request('secrets.reveal', { name: 'token' })).error?.code).toBe('not_found');
    expect(world.rows('secret_changed').map(({ data }) => data['secret'])).toEqual([
      { change: 'added', name: 'token', source: 'store' },
      { change: 'revealed', name: 'token', source: 'store' },
      { change: 'removed', name: 'token', source: 'store' },
    ]);
  });

  it('opens no value that was changed, or that stands under another name', async () => {
    const { world, operator } = await ready();
    await operator.request('secrets.add', { name: 'second', value: 'the-second-value', salt: SALT });
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    expect(readFileSync(world.paths.gatewayDb, 'latin1')).not.toContain(VALUE);
    db.exec("UPDATE secret SET box = (SELECT box FROM secret WHERE name = 'token') WHERE name = 'second'");
    db.exec(
      "UPDATE secret SET box = CAST(substr(box, 1, length(box) - 1) || x'00' AS BLOB) WHERE name = 'token'",
    );
    db.close();
    await world.restart();
    const client = await world.operator();
    for (const name of ['token', 'second'])
      expect((await client.request('secrets.reveal', { name })).error?.code).toBe('secret_missing');
  });
});
