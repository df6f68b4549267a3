import { readFileSync } from 'node:fs';
import { GatewayConfig } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { CONFIG_SECTIONS } from '../../packages/daemon/dist/compose/config.js';
import { changesBetween } from '../../packages/gateway/dist/config/changes.js';
import * as inForceWith from '../../packages/gateway/dist/config/in-force.js';
import * as loosensWith from '../../packages/gateway/dist/config/loosens.js';

const DOCS = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');

/** One setting, and another value of it than the default. */
const OTHERS: Readonly<Record<string, unknown>> = {
  autostart: false,
  durability: 'process',
  heads_log: '/elsewhere/heads.log',
  'ledger.max_mb': 64,
  'ledger.segment_mb': 1,
  'retention.preview_days': 1,
  'runs.require_ticket': true,
  'runs.enrolments_per_minute': 1,
  'ipc.max_frame_bytes': 1024,
  'ipc.max_unauthenticated': 1,
  'ipc.max_connections': 32,
  'ipc.max_run_connections': 1,
  'ipc.max_in_flight': 64,
  'ipc.max_run_in_flight': 1,
  'ipc.max_bytes_in_flight': 33_554_432,
  'ipc.max_run_bytes': 1,
  'inspect.max_inspect_bytes': 1,
  'inspect.max_preview_bytes': 1,
  'rate_limits.default': 1,
  'rate_limits.global': 1,
  'rate_limits.actions': { ...GatewayConfig.parse({}).rate_limits.actions, 'email.send': 1 },
  'anomaly.burst': 'off',
  'anomaly.new_domain': 'off',
  'anomaly.large_payload': 'off',
  'anomaly.new_for_agent': 'off',
  'anomaly.unusual_volume': 'off',
  'anomaly.tunnelled_name': 'off',
  'anomaly.send_after_untrusted_read': 'off',
  'anomaly.untrusted_servers': ['web'],
  'anomaly.private_servers': ['notes'],
  'policy.accept': 'operator',
  'policy.signers': ['sub-policy+2ac1f6ad+AXcuKqx6YEZnGu5Evx0pC2AZQrsh8T3+7Wb5eSGXrZtV'],
  'approvals.expires_after_s': 1,
  'approvals.ask': false,
  'approvals.notify': ['/bin/true'],
  'calls.timeout_ms': 100,
  'servers.NAME.timeout_ms': 100,
  'servers.NAME.url': 'https://mcp.example.com/mcp',
  'servers.NAME.world': true,
  'servers.NAME.world_read': ['/opt/data'],
  'servers.NAME.world_write': ['/opt/data'],
  'egress.timeout_ms': 1,
  'egress.max_response_bytes': 1,
  'egress.max_redirects': 0,
  'egress.mode': 'enforce',
  'egress.extra_ca_file': '/abs/ca.pem',
  'ui.port': 4019,
  'egress.proxy_port': 4018,
  'egress.max_connections': 1,
  'egress.max_run_connections': 1,
  'egress.connections_per_minute': 1,
  'egress.max_bytes_per_second': 1024,
  'egress.max_run_bytes': 1,
  'egress.idle_ms': 1,
  'http.port': 4017,
  'tools.pin': 'off',
  'tools.flag': ['web'],
  'world.require': 'named',
  'plane.low': 'steer',
  'plane.ordinary': 'steer',
  'plane.protected': 'gate',
  'plane.directors': ['claude:lead'],
  'plane.form.tool': 'mcp__notes__plan',
  'plane.form.fields': ['goal'],
  'disk.layers_mb': 1,
  'disk.layers_days': 1,
  secret_bindings: [],
  'log.level': 'debug',
  'log.max_mb': 1,
  'log.keep': 1,
};

const DEFAULTS = GatewayConfig.parse({});
const inForce = (running: GatewayConfig, next: GatewayConfig) =>
  inForceWith.inForce(running, next, CONFIG_SECTIONS);
const loosens = (before: GatewayConfig, after: GatewayConfig) =>
  loosensWith.loosens(before, after, CONFIG_SECTIONS);

/** The defaults with one setting more; values that no file could hold are fine here. */
function withSetting(key: string, value: unknown): GatewayConfig {
  return withSettings({ [key]: value });
}

function withSettings(settings: Readonly<Record<string, unknown>>): GatewayConfig {
  const copy = structuredClone(DEFAULTS) as unknown as Record<string, unknown>;
  for (const [key, value] of Object.entries(settings)) {
    const path = key.split('.');
    let table = copy;
    for (const name of path.slice(0, -1)) table = (table[name] ??= {}) as Record<string, unknown>;
    table[path.at(-1) ?? ''] = value;
  }
  return copy as unknown as GatewayConfig;
}

/** The keys of the file in docs/settings.md, each with its line. */
function rows(): ReadonlyMap<string, string> {
  const [, file = ''] = /```toml\n(.*?)```/s.exec(DOCS) ?? [];
  const found = new Map<string, string>();
  let table = '';
  for (const line of file.split('\n')) {
    const [, list = '', header] = /^(?:# )?(\[{1,2})([a-z_.]+)\]/.exec(line) ?? [];
    if (header !== undefined) table = header.replace(/^servers\..*/, 'servers.NAME');
    const [, key] = /^(?:# )?([a-z_]+) = /.exec(line) ?? [];
    if (list === '[[' || header === 'rate_limits.actions') found.set(table, line);
    else if (key !== undefined) found.set(table === '' ? key : `${table}.${key}`, line);
  }
  return found;
}

/** Every key of the schema. */
function keysOf(shape: unknown, path = ''): readonly string[] {
  const { def } = shape as {
    def: { type: string; innerType?: unknown; out?: unknown; shape?: object; valueType?: unknown };
  };
  const inner = def.innerType ?? def.out;
  if (inner !== undefined) return keysOf(inner, path);
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (def.type === 'object')
    return Object.entries(def.shape ?? {}).flatMap(([name, member]) => keysOf(member, at(name)));
  if (path === 'servers') return keysOf(def.valueType, 'servers.NAME');
  return [path];
}

describe('docs/settings.md', () => {
  it('names every setting once, and so does this test', () => {
    const keys = keysOf(GatewayConfig).toSorted();
    expect([...rows().keys()].toSorted()).toEqual(keys);
    expect(Object.keys(OTHERS).toSorted()).toEqual(keys);
  });

  it.each(Object.keys(OTHERS))('says of `%s` when it takes effect', (key) => {
    const wanted = withSetting(key, OTHERS[key]);
    const running = inForce(DEFAULTS, wanted);
    expect(changesBetween(DEFAULTS, wanted)).toHaveLength(1);
    const atOnce = changesBetween(DEFAULTS, running).length === 1;
    const waits = changesBetween(running, wanted).length === 1;
    expect(atOnce).toBe(!waits);
    expect(rows().get(key)?.includes('(restart)')).toBe(waits);
  });

  it('says of `egress.mode` that the proxy is opened and closed by a restart', () => {
    expect(rows().get('egress.mode')).toContain('"off": no proxy (to and from it: restart)');
    const off = withSetting('egress.mode', 'off');
    expect(inForce(DEFAULTS, off).egress.mode).toBe('observe');
    expect(inForce(off, DEFAULTS).egress.mode).toBe('off');
  });
});

describe('what a file has changed', () => {
  it('is told by key, with values that are no texts of people', () => {
    const before = withSetting('egress.mode', 'enforce');
    const after = withSetting('approvals.notify', ['/bin/tell', 'token-of-mine']);
    const changes = changesBetween(before, after);
    expect(changes).toEqual([
      { key: 'approvals.notify', from: true },
      { key: 'egress.mode', from: 'enforce', to: 'observe' },
    ]);
    expect(loosens(before, after)).toBe(true);
  });

  it.each([
    ['egress.mode', 'enforce', false],
    ['approvals.ask', false, false],
    ['approvals.notify', false, false],
    ['runs.require_ticket', true, false],
    ['anomaly.burst', 'off', true],
    ['tools.pin', 'flag', true],
    ['rate_limits.default', 1, false],
    ['rate_limits.default', 1000, true],
    ['egress.max_connections', 2000, true],
    ['ipc.max_run_in_flight', 1000, true],
    ['ledger.max_mb', 'unlimited', true],
    ['ledger.max_mb', 64, false],
    ['disk.layers_mb', 'unlimited', true],
    ['disk.layers_mb', 1, false],
    ['disk.layers_days', 1, false],
    ['inspect.max_preview_bytes', 0, true],
    ['approvals.expires_after_s', 60, false],
    ['heads_log', '/elsewhere/heads.log', true],
    ['log.level', 'debug', false],
    ['http.port', 4017, false],
    ['world.require', 'named', true],
  ])('%s = %s loosens: %s', (key, value, isLooser) => {
    expect(loosens(DEFAULTS, withSetting(key, value))).toBe(isLooser);
  });

  const URL_A = 'https://a.example.com/mcp';
  const URL_B = 'https://b.example.com/mcp';
  const FORM = { 'plane.form.tool': 'mcp__notes__plan', 'plane.form.fields': ['goal', 'risks'] };
  const ACTIONS = { 'email.send': 20, 'calendar.create': 30 };

  it.each<readonly [string, object, object, boolean, boolean]>([
    ['tools.flag: a server more', { 'tools.flag': [] }, { 'tools.flag': ['web'] }, true, false],
    ['tools.flag: the order', { 'tools.flag': ['a', 'b'] }, { 'tools.flag': ['b', 'a'] }, false, false],
    ['servers.x.world: on', {}, { 'servers.x.world': true }, false, true],
    ['plane.form: one', {}, FORM, true, false],
    ['plane.form: of another tool', FORM, { ...FORM, 'plane.form.tool': 'TodoWrite' }, true, true],
    ['plane.form: a field less', FORM, { ...FORM, 'plane.form.fields': ['goal'] }, true, false],
    ['plane.form: another field', FORM, { ...FORM, 'plane.form.fields': ['goal', 'todos'] }, true, true],
    ['plane.protected: gated', { 'plane.protected': 'steer' }, { 'plane.protected': 'gate' }, false, true],
    ['world.require: any', { 'world.require': 'named' }, { 'world.require': 'any' }, true, false],
    [
      'servers.x.world_write: another',
      { 'servers.x.world_write': ['/a'] },
      { 'servers.x.world_write': ['/b'] },
      true,
      true,
    ],
    ['servers.x.url: gone', { 'servers.x.url': URL_A }, {}, true, false],
    ['servers.x.url: another', { 'servers.x.url': URL_A }, { 'servers.x.url': URL_B }, true, true],
    // An address that a name gives up is free for all names.
    ['servers.x.url: one more', { 'servers.x.url': URL_A }, { 'servers.x.url': [URL_A, URL_B] }, true, true],
    ['servers.x.url: as a list', { 'servers.x.url': URL_A }, { 'servers.x.url': [URL_A] }, false, false],
    [
      'servers.y.url: that of another name',
      { 'servers.x.url': URL_A },
      { 'servers.x.url': URL_A, 'servers.y.url': URL_A },
      true,
      true,
    ],
    ['servers.x.timeout_ms: none', { 'servers.x.timeout_ms': 100 }, {}, true, false],
    [
      'servers.x.timeout_ms: over that of all',
      { 'calls.timeout_ms': 100 },
      { 'calls.timeout_ms': 100, 'servers.x.timeout_ms': 200 },
      true,
      false,
    ],
    ['calls.timeout_ms: none', { 'calls.timeout_ms': 100 }, {}, true, false],
    // Below it less is inspected; above it lists of tools pass that were refused.
    ['inspect.max_inspect_bytes: less', {}, { 'inspect.max_inspect_bytes': 1 }, true, true],
    [
      'rate_limits.actions: left to a larger default',
      { 'rate_limits.actions': ACTIONS },
      { 'rate_limits.actions': { 'calendar.create': 30 } },
      true,
      false,
    ],
    [
      'rate_limits.actions: one over the default',
      { 'rate_limits.actions': ACTIONS },
      { 'rate_limits.actions': { ...ACTIONS, 'calendar.fetch': 61 } },
      true,
      false,
    ],
    [
      'rate_limits.actions: as it was, under a lower default',
      { 'rate_limits.actions': ACTIONS },
      { 'rate_limits.actions': { ...ACTIONS, 'calendar.fetch': 60 }, 'rate_limits.default': 1 },
      false,
      true,
    ],
    ['egress.max_run_bytes: none', { 'egress.max_run_bytes': 1 }, {}, true, false],
    ['egress.max_bytes_per_second: none', { 'egress.max_bytes_per_second': 1024 }, {}, true, false],
    ['egress.extra_ca_file: one', {}, { 'egress.extra_ca_file': '/abs/ca.pem' }, true, false],
    [
      'egress.extra_ca_file: another',
      { 'egress.extra_ca_file': '/a.pem' },
      { 'egress.extra_ca_file': '/b.pem' },
      true,
      true,
    ],
    ['policy.signers: one more', { 'policy.signers': ['a'] }, { 'policy.signers': ['a', 'b'] }, true, false],
    [
      'policy.signers: with policy.accept = signed',
      {},
      { 'policy.accept': 'signed', 'policy.signers': ['a'] },
      false,
      true,
    ],
    // Private reads take room among all that a run has read.
    ['anomaly.private_servers: one', {}, { 'anomaly.private_servers': ['notes'] }, true, true],
    ['anomaly.untrusted_servers: none', { 'anomaly.untrusted_servers': ['web'] }, {}, true, false],
    ['secret_bindings: another', {}, { secret_bindings: [] }, true, true],
  ])('%s', (_, before, after, isLooser, isLooserBack) => {
    const [old, now] = [withSettings({ ...before }), withSettings({ ...after })];
    expect(loosens(old, now)).toBe(isLooser);
    expect(loosens(now, old)).toBe(isLooserBack);
    expect(loosens(old, old)).toBe(false);
  });

  it('counts as looser where the setting is one that no rank is known of', () => {
    expect(loosens(DEFAULTS, withSetting('egress.a_later_setting', 1))).toBe(true);
    expect(loosens(DEFAULTS, withSetting('egress.mode', 'a-later-word'))).toBe(true);
  });
});
