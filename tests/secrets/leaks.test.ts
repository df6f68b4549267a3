import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopGateway } from '../harness/home.js';
import type { RawSession } from '../harness/raw-session.js';
import { encodingsOf } from './encodings.js';
import { said, SecretPlace } from './place.js';

/** Values of no shape that anything could recognise: they are found by what they are. */
const VALUES = {
  KEEPER_STORE: 'Wohlauf denn! 4711 "quoted" \\ and <tagged> & more',
  KEEPER_FILE: 'zwischen-den-zeilen\nsteht-das-zweite',
  KEEPER_ENV: 'ümlaut/und/schräg 😀 strich',
  KEEPER_OPEN: 'shown-to-the-client-and-recorded-nowhere',
} as const;
type Name = keyof typeof VALUES;
const NAMES = Object.keys(VALUES) as Name[];

const POLICY = `
policy_id: team
version: "1"
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: no, kind: deny, enabled: true, severity: warn, match: { tool_name: { glob: ["never*"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "not allowed" } }
  - { rule_id: looks, kind: deny, enabled: true, severity: warn,
      match: { args: { key_equals: { text: "nothing that is ever sent" } } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "not allowed" } }
`;

let place: SecretPlace;
let session: RawSession;
/** What the client was told, and what the product said on its outputs. */
const told = new Map<string, unknown>();
const outputs = new Map<string, Buffer>();
const commandLines = new Set<string>();

beforeAll(async () => {
  place = new SecretPlace('[log]\nlevel = "debug"\n');
  writeFileSync(join(place.home.home, 'policy.yaml'), POLICY, { mode: 0o600 });
  await say('add', ['secrets', 'add', 'one'], VALUES.KEEPER_STORE);
  await say('add again', ['secrets', 'add', 'one'], VALUES.KEEPER_STORE);
  await say('add as a name', ['secrets', 'add', VALUES.KEEPER_STORE], 'something-else');
  await say('add too much', ['secrets', 'add', 'two'], VALUES.KEEPER_STORE.repeat(1000));
  await say('replace', ['secrets', 'add', 'one', '--replace'], `${VALUES.KEEPER_STORE}\n`);
  await say('open', ['secrets', 'add', 'open', '--json'], VALUES.KEEPER_OPEN);
  await say('reveal', ['secrets', 'get', 'one', '--reveal']);
  place.bind({ inject_as: 'KEEPER_STORE', secret_ref: 'one', source: 'store' });
  const path = place.file('the-secret-file', VALUES.KEEPER_FILE);
  place.bind({ inject_as: 'KEEPER_FILE', secret_ref: path, source: 'file' });
  place.bind({ inject_as: 'KEEPER_ENV', secret_ref: 'MY_SECRET', source: 'env' });
  place.bind({ inject_as: 'KEEPER_OPEN', secret_ref: 'open', source: 'store', redact: false });
  session = await place.open({ MY_SECRET: VALUES.KEEPER_ENV });
  for (const name of NAMES) await everywhere(name);
  told.set('a list of tools', (await session.request('tools/list')).result);
  await stopGateway(place.home.home, 'SIGKILL');
  for (const name of NAMES) await sentBack(name, 'after a restart');
  lookAtProcesses();
  await session.close();
  for (const [name, args] of VERBS) await say(name, args);
  const run = JSON.parse(outputs.get('runs')?.toString().split('\n')[0] ?? '{}') as { run_id: string };
  await say('export', ['export', 'run', run.run_id, '--out', join(place.home.root, 'bundle')]);
}, 120_000);
afterAll(() => place.home.remove());

const VERBS: readonly (readonly [string, readonly string[]])[] = [
  ['tail', ['tail', '--no-follow', '--lines', '500']],
  ['query', ['query', '--json', '--limit', '500']],
  ['runs', ['runs', '--json']],
  ['status', ['status', '--json']],
  ['doctor', ['doctor', '--json']],
  ['list', ['secrets', 'list', '--json']],
  ['list for people', ['secrets', 'list']],
  ['get', ['secrets', 'get', 'one']],
  ['get as json', ['secrets', 'get', 'one', '--json']],
  ['verify', ['audit', 'verify', '--json']],
];

async function say(name: string, args: readonly string[], input = ''): Promise<void> {
  const [verb = '', ...rest] = args;
  const { stdout, stderr } = await place.sub([verb, ...rest], { input });
  outputs.set(name, Buffer.from(`${stdout}\n${stderr}`));
}

/** The server says a secret in every way that it has; the agent, which got hold of it, says it as well. */
async function everywhere(name: Name): Promise<void> {
  const text = `before \${${name}} after`;
  told.set(`${name} in a result`, await said(session, text));
  told.set(`${name} in an error`, await said(session, text, 'fail'));
  told.set(`${name} on standard error`, await said(session, text, 'log'));
  const before = session.unclaimed.length;
  await said(session, text, 'announce');
  told.set(`${name} in a notification`, session.unclaimed.slice(before));
  told.set(`${name} in a large result`, await said(session, text, 'say', 2_000_000));
  told.set(`${name} at the end of a preview`, await said(session, text, 'say', 16_310));
  await sentBack(name, 'by the agent');
}

async function sentBack(name: Name, when: string): Promise<void> {
  const value = VALUES[name];
  const call = (tool: string, args: unknown) =>
    session.request('tools/call', { name: tool, arguments: args });
  await call('names', { text: `${when} ${value}`, [value]: [value, { deep: value }] });
  await call('names', { text: value, pad: `${'y'.repeat(16_290)}${value}` });
  await call('never', { text: value });
  await call(`never ${value}`, {});
  await session.request(`custom/${value}`, { text: value });
}

function lookAtProcesses(): void {
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const path = `/proc/${pid}/cmdline`;
    try {
      if (existsSync(path)) commandLines.add(readFileSync(path, 'latin1'));
    } catch {
      // It has ended.
    }
  }
}

const OWN = ['the-secret-file', 'config.toml', 'policy.yaml'];

describe.each(NAMES)('the secret %s', (name) => {
  const value = VALUES[name];
  const forms = [
    ...encodingsOf(value),
    ['in JSON', Buffer.from(JSON.stringify(value).slice(1, -1))] as const,
  ];

  it('stands in no file that the product wrote, in no form', () => {
    const files = place.written(OWN);
    expect([...files.keys()].some((path) => path.includes('/bundle/'))).toBe(true);
    const leaks = [...files].flatMap(([path, bytes]) =>
      forms.filter(([, form]) => bytes.includes(form)).map(([form]) => `${path}, ${form}`),
    );
    expect(leaks).toEqual([]);
  });

  it('stands in no output and no command line', () => {
    const texts = [
      ...outputs,
      ...[...commandLines].map((line) => ['a process', Buffer.from(line, 'latin1')] as const),
    ];
    const leaks = texts.flatMap(([where, bytes]) =>
      forms.filter(([, form]) => bytes.includes(form)).map(([form]) => `${where}, ${form}`),
    );
    expect(leaks).toEqual([]);
  });

  it('is told to the client where the binding says so, and by its name otherwise', () => {
    const shown = name === 'KEEPER_OPEN' ? value : `[REDACTED:${name}]`;
    expect(told.get(`${name} in a result`)).toEqual({
      content: [{ type: 'text', text: `before ${shown} after` }],
      structuredContent: { [`kbefore ${shown} after`]: `before ${shown} after` },
    });
    expect(told.get(`${name} in an error`)).toEqual({
      code: -32_010,
      message: `before ${shown} after`,
      data: { text: `before ${shown} after` },
    });
    expect(told.get(`${name} in a notification`)).toMatchObject([
      { method: 'notifications/message', params: { level: 'info', data: `before ${shown} after` } },
    ]);
    const [large, cut] = [told.get(`${name} in a large result`), told.get(`${name} at the end of a preview`)];
    expect(JSON.stringify(large)).toContain(`xbefore ${JSON.stringify(shown).slice(1, -1)} after`);
    expect(JSON.stringify(cut)).toContain(`xbefore ${JSON.stringify(shown).slice(1, -1)} after`);
  });
});

it('the searched record holds all of that, with names in place of values', () => {
  const record = outputs.get('query')?.toString() ?? '';
  expect(record.split('\n').length).toBeGreaterThan(50);
  for (const name of NAMES) expect(record).toContain(`[REDACTED:${name}]`);
  expect(place.recorded('secret_injection')).toHaveLength(4);
  expect(place.recorded('secret_changed')).toMatchObject([
    { secret: { change: 'added', name: 'one' } },
    { secret: { change: 'replaced', name: 'one' } },
    { secret: { change: 'added', name: 'open' } },
  ]);
  expect(outputs.get('verify')?.toString()).toContain('"verdict"');
});
