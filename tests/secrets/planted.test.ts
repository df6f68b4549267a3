import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { finished, shimCommand } from '../harness/sub.js';
import { spawn } from 'node:child_process';
import { encodingsOf } from './encodings.js';
import { everyKind, token } from './kinds.js';

const LEAKY = fileURLToPath(new URL('fixtures/leaky-server.mjs', import.meta.url));
const HARMLESS = 'quarterly report of the harbour';

/** Tokens in places that are no arguments: what names something, and what is dropped. */
const NAMES = {
  'the name of the server': token('server'),
  'the name of a tool': token('tool'),
  'the name of a refused tool': `forbidden_${token('refused tool')}`,
  'a method': `custom/${token('method')}`,
  'the name of an argument': token('key'),
  'an id': token('id'),
  'the agent': token('agent'),
  'the run that the client claims': token('run'),
  'the environment': token('environment'),
  'the command line of the server': token('argv'),
  'a dropped message': token('dropped'),
  'the method of a dropped message': token('dropped method'),
  'a resource': token('resource'),
  'the client': token('client'),
  'a reason of a cancellation': token('cancelled'),
  'a call by hand': token('by hand'),
  'a header by hand': token('header'),
  'a mistake of the configuration': token('configuration'),
  'a mistake of the policy': token('policy'),
} as const;

const PLACES = ['allowed', 'refused', 'failed', 'unknown', 'shouted', 'late'] as const;
const planted = PLACES.map((place) => [place, everyKind(place)] as const);

const POLICY = `
policy_id: team
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: no, kind: deny, enabled: true, severity: warn, match: { tool_name: { glob: ["forbidden*"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "not allowed" } }
`;

let home: TestHome;
/** What the product said: on its outputs, and to the client. */
const said = new Map<string, Buffer>();
/** Everything that the client was told, by id. */
const answers = new Map<unknown, string>();

beforeAll(async () => {
  home = createHome({ policy: POLICY, config: '[log]\nlevel = "debug"\n' });
  await say('up', ['up', '--home', home.home]);
  await drive();
  for (const [name, args] of VERBS) await say(name, [...args, '--home', home.home]);
  const shown = JSON.parse(said.get('query --json')?.toString().split('\n')[0] ?? '{}') as { seq?: number };
  for (let seq = 1; seq <= Math.min(shown.seq ?? 0, 40); seq += 13) {
    await say(`show ${seq}`, ['show', String(seq), '--raw', '--home', home.home]);
  }
  await mistakes();
}, 120_000);
afterAll(() => home.remove());

const VERBS: readonly (readonly [string, readonly string[]])[] = [
  ['tail', ['tail', '--no-follow', '--lines', '1000']],
  ['tail --json', ['tail', '--no-follow', '--lines', '1000', '--json']],
  ['query', ['query', '--limit', '1000']],
  ['query --json', ['query', '--limit', '1000', '--json']],
  ['runs', ['runs', '--json']],
  ['status', ['status', '--json']],
  ['doctor', ['doctor', '--json']],
  ['audit verify', ['audit', 'verify', '--json']],
];

async function say(name: string, args: readonly string[]): Promise<void> {
  const { stdout, stderr } = await runSub(args);
  said.set(name, Buffer.from(`${stdout}\n${stderr}`));
}

/** One session in which every secret passes every place. */
async function drive(): Promise<void> {
  const server = [process.execPath, LEAKY, `--token=${NAMES['the command line of the server']}`];
  const [command = '', ...args] = shimCommand(home.home, NAMES['the name of the server'], server);
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DEPLOY_KEY: NAMES['the environment'],
      SUB_AGENT_ID: NAMES['the agent'],
      SUB_RUN_ID: NAMES['the run that the client claims'],
    },
  });
  const lines: string[] = [line({ method: 'initialize', params: initialize() })];
  const of = (place: (typeof PLACES)[number]): string[] => everyKind(place).map(({ text }) => text);
  for (const text of of('allowed')) lines.push(line(call('echo', { text, note: HARMLESS })));
  for (const text of of('refused')) lines.push(line(call('forbidden', { text })));
  for (const text of of('failed')) lines.push(line(call('fail', { text })));
  for (const text of of('unknown')) lines.push(line({ method: 'custom/login', params: { text } }));
  for (const text of of('shouted')) lines.push(line(call('shout', { text })));
  // Behind the part of the arguments that a preview shows.
  for (const text of of('late').slice(0, 8))
    lines.push(line(call('echo', { pad: 'p'.repeat(16_300), text })));
  lines.push(
    line(call(NAMES['the name of a tool'], {})),
    line(call(NAMES['the name of a refused tool'], {})),
    line({ method: NAMES['a method'], params: {} }),
    line(call('echo', { [NAMES['the name of an argument']]: 1 })),
    line({ ...call('echo', {}), id: NAMES['an id'] }),
    line({ method: 'resources/read', params: { uri: `file:///home/${NAMES['a resource']}` } }),
    `{"jsonrpc":"2.0","id":"dropped","method":"tools/call","params":{"name":"a","name":"${NAMES['a dropped message']}"}}`,
    `{"jsonrpc":"2.0","method":"x","params":["y"],"method":"${NAMES['the method of a dropped message']}"}`,
    `{"jsonrpc":"2.0","id":"list","method":"${NAMES['the method of a dropped message']}","params":[1]}`,
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'none', reason: NAMES['a reason of a cancellation'] },
    }),
  );
  const done = finished(child, 100_000);
  for (const text of lines) child.stdin.write(`${text}\n`);
  child.stdin.end(`${line({ method: 'ping' })}\n`);
  const { stdout, stderr, code } = await done;
  expect(code).toBe(0);
  for (const text of stdout.trim().split('\n')) answers.set((JSON.parse(text) as { id?: unknown }).id, text);
  const own = [...answers.values()].filter((text) => {
    const { error } = JSON.parse(text) as { error?: { code: number } };
    return error !== undefined && error.code !== -32010;
  });
  expect(own.length).toBeGreaterThan(40);
  said.set('errors that the client gets of us', Buffer.from(own.join('\n')));
  // What the server itself writes to standard error is the client's to read; what else stands there is ours.
  const shouted = new Set(of('shouted').flatMap((text) => text.split('\n')));
  said.set(
    'shim',
    Buffer.from(
      stderr
        .split('\n')
        .filter((text) => !shouted.has(text))
        .join('\n'),
    ),
  );
}

/** What a person gets wrong, and calls by hand. */
async function mistakes(): Promise<void> {
  const url = `https://user:${NAMES['a call by hand']}@nowhere.example/?token=${NAMES['a call by hand']}`;
  const header = `Authorization: Bearer ${NAMES['a header by hand']}`;
  await say('call', ['call', 'service.api_call', '--url', url, '--header', header, '--home', home.home]);
  const policy = join(home.home, 'policy.yaml');
  writeFileSync(policy, POLICY.replace('guardrails', NAMES['a mistake of the policy']), { mode: 0o600 });
  await say('policy', ['policy', 'validate', policy]);
  await say('down', ['down', '--home', home.home]);
  await say('up, with a wrong policy', ['up', '--home', home.home]);
  await say('down again', ['down', '--home', home.home]);
  writeFileSync(policy, POLICY, { mode: 0o600 });
  const config = join(home.home, 'config.toml');
  const right = readFileSync(config, 'utf8');
  writeFileSync(config, right.replace('"debug"', `"${NAMES['a mistake of the configuration']}"`), {
    mode: 0o600,
  });
  await say('up, with a wrong configuration', ['up', '--home', home.home]);
  await say('doctor, with a wrong configuration', ['doctor', '--home', home.home]);
  writeFileSync(config, right, { mode: 0o600 });
}

const call = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } });
const initialize = () => ({
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: NAMES['the client'], version: '1' },
});
let ids = 0;
const line = (message: object): string => {
  ids += 1;
  return JSON.stringify({ jsonrpc: '2.0', id: ids, ...message });
};

/** Every file that the product wrote: the operator's own two are not among them. */
function written(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !['policy.yaml', 'config.toml'].includes(entry.name))
      files.set(path, readFileSync(path));
  }
  return files;
}

/** Where a secret stands, and in which form. */
function places(secret: string, texts: ReadonlyMap<string, Buffer>): string[] {
  const forms = [...encodingsOf(secret)];
  return [...texts].flatMap(([name, bytes]) =>
    forms
      .filter(([, form]) => bytes.includes(form))
      .map(([form]) => `${name.replace(home.root, '')}, ${form}`),
  );
}

it('the searched files and outputs are those of a run that was recorded', () => {
  const files = written(home.root);
  const names = [...files.keys()].map((path) => path.slice(home.root.length));
  expect(names).toEqual(expect.arrayContaining(['/home/ledger.db', '/home/gateway.db', '/memory/heads.log']));
  expect([...files.values()].some((bytes) => bytes.includes(HARMLESS))).toBe(true);
  expect(said.get('tail --json')?.includes('[REDACTED]')).toBe(true);
  expect(answers.size).toBeGreaterThan(250);
});

it.each(planted)(
  'no secret of any kind stands in a file or an output after it was in a message that was %s',
  (_place, kinds) => {
    const texts = new Map([...written(home.root), ...said]);
    const leaks = kinds.flatMap(({ kind, secret }) =>
      places(secret, texts).map((where) => `${kind}: ${where}`),
    );
    expect(leaks).toEqual([]);
  },
);

it.each(Object.entries(NAMES))('no token stands in a file or an output that was %s', (_place, text) => {
  const secret = text.slice(text.indexOf('ghp_'));
  expect(places(secret, new Map([...written(home.root), ...said]))).toEqual([]);
});
