import { rmSync, writeFileSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { expect, it } from 'vitest';
import { connect, gatewayFor } from '../net/connections.js';
import { dataOf, start, toolCall, type TestGateway } from './harness.js';

/** Writes `config.toml`, and waits until the gateway says that it has read it, or why not. */
async function save(world: TestGateway, text: string): Promise<Record<string, unknown>> {
  const before = JSON.stringify(await settingsOf(world));
  writeFileSync(world.paths.config, text, { mode: 0o600 });
  for (let tries = 0; tries < 1000; tries += 1) {
    const now = await settingsOf(world);
    if (JSON.stringify(now) !== before) return now;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the gateway did not read config.toml');
}

async function settingsOf(world: TestGateway): Promise<Record<string, unknown>> {
  const operator = await world.operator();
  const { config } = dataOf(await operator.request('gateway.status', {}));
  operator.close();
  return config as Record<string, unknown>;
}

const unlisted = (world: TestGateway, run: { readonly id: string }) =>
  connect(gatewayFor(world, run), 'other.example').then(({ status, error }) => error?.code ?? status);

it('a saved config.toml takes effect in the gateway that runs, and is recorded with what it changed', async () => {
  const world = await start({
    config: '[egress]\nmode = "enforce"\n',
    resolver: { resolve: () => Promise.resolve(['93.184.216.34']) },
  });
  const run = await world.run();
  expect(await unlisted(world, run)).toBe('not_allowed');
  expect((await run.client.request('tool.call.begin', toolCall())).data).not.toHaveProperty('timeout_ms');

  const told = await save(
    world,
    '[egress]\nmode = "observe"\n[calls]\ntimeout_ms = 5000\n[http]\nport = 4017\n',
  );
  expect(told).toMatchObject({
    waiting: ['http.port'],
    error: null,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await unlisted(world, run)).toBe('success');
  expect((await run.client.request('tool.call.begin', toolCall())).data).toMatchObject({ timeout_ms: 5000 });
  expect(world.rows('settings_loaded').map(({ data }) => data)).toEqual([
    {
      sha256: told['sha256'],
      changes: [
        { key: 'calls.timeout_ms', to: 5000 },
        { key: 'egress.mode', from: 'enforce', to: 'observe' },
      ],
      loosened: true,
      waiting: ['http.port'],
    },
  ]);

  await save(world, '[egress]\nmode = "enforce"\n[calls]\ntimeout_ms = 5000\n');
  expect(await unlisted(world, run)).toBe('not_allowed');
  expect(world.rows('settings_loaded').at(-1)?.data).toMatchObject({ loosened: false, waiting: [] });
  await world.gateway.stop('test');
  expect(await world.verify()).toBe('ok');
});

it('a config.toml with a mistake changes nothing, is recorded without its words, and is told', async () => {
  const world = await start({ config: '[egress]\nmode = "enforce"\n' });
  const run = await world.run();
  const told = await save(world, '[egress]\nmode = "open-sesame"\n');
  expect(told['error']).toMatchObject({ code: 'config_invalid' });
  expect(await unlisted(world, run)).toBe('not_allowed');
  const [refused, ...more] = world.rows('settings_refused');
  expect(refused?.data).toMatchObject({ error: { code: 'config_invalid' } });
  expect(JSON.stringify(refused)).not.toContain('open-sesame');
  expect(more).toEqual([]);
  expect((await save(world, '[egress]\nmode = "enforce"\n'))['error']).toBeNull();
  expect(world.rows('settings_loaded')).toEqual([]);
  await world.gateway.stop('test');
  expect(await world.verify()).toBe('ok');
});

it('a config.toml that is taken away leaves the defaults in force', async () => {
  const world = await start({ config: '[runs]\nrequire_ticket = true\n' });
  const before = await settingsOf(world);
  rmSync(world.paths.config);
  for (let tries = 0; JSON.stringify(await settingsOf(world)) === JSON.stringify(before); tries += 1) {
    if (tries > 1000) throw new Error('the gateway did not notice');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(await settingsOf(world)).toMatchObject({ sha256: null, waiting: [], error: null });
  expect(world.rows('settings_loaded').at(-1)?.data).toMatchObject({
    changes: [{ key: 'runs.require_ticket', from: true, to: false }],
    loosened: true,
  });
});

it('what a restart changes is recorded by it', async () => {
  const world = await start({ config: '[egress]\nmode = "enforce"\n' });
  await world.gateway.stop('test');
  writeFileSync(world.paths.config, '[egress]\nmode = "off"\n[policy]\naccept = "operator"\n', {
    mode: 0o600,
  });
  await world.restart();
  expect(world.rows('settings_loaded').map(({ data }) => data)).toMatchObject([
    {
      changes: [
        { key: 'egress.mode', from: 'enforce', to: 'off' },
        { key: 'policy.accept', from: 'file', to: 'operator' },
      ],
      loosened: true,
    },
  ]);
  await world.restart();
  expect(world.rows('settings_loaded')).toHaveLength(1);
});

it.each([
  ['were not kept', 'DELETE FROM settings'],
  ['cannot be read', `UPDATE settings SET settings = '{"later":true}'`],
])('settings of before that %s may have held more back, and the record says so once', async (_, sql) => {
  const world = await start();
  await world.gateway.stop('test');
  change(world, sql);
  await world.restart();
  expect(world.rows('settings_loaded').map(({ data }) => data)).toMatchObject([
    { before: 'unknown', changes: [], loosened: true },
  ]);
  await world.restart();
  expect(world.rows('settings_loaded')).toHaveLength(1);
});

it('a word that lets more pass than it did in the version before is recorded as looser, where it is in force', async () => {
  const asBefore = `UPDATE settings SET settings = ifnull(json_extract(settings, '$.settings'), settings)`;
  const world = await start({ config: '[egress]\nmode = "enforce"\n' });
  await world.gateway.stop('test');
  change(world, asBefore);
  await world.restart();
  expect(world.rows('settings_loaded')).toEqual([]);
  writeFileSync(world.paths.config, '[egress]\nmode = "observe"\n', { mode: 0o600 });
  await world.restart();
  await world.gateway.stop('test');
  change(world, asBefore);
  await world.restart();
  expect(world.rows('settings_loaded').map(({ data }) => data)).toMatchObject([
    { changes: [{ key: 'egress.mode', from: 'enforce', to: 'observe' }], loosened: true },
    { changes: [{ key: 'egress.mode', from: 'observe', to: 'observe' }], loosened: true },
  ]);
});

function change(world: TestGateway, sql: string): void {
  const db = new SqliteDatabase(world.paths.gatewayDb);
  db.exec(sql);
  db.close();
}
