import { expect, test } from 'vitest';
import type { Where } from '../../clients/client.js';
import { codexHooks } from './codex.js';
import { codexHandler, trustHash, trustKey } from './codex-trust.js';
import type { HookSetup } from '../hook-client.js';
import { handlersIn } from '../json-groups.js';

const SETUP: HookSetup = {
  node: '/usr/bin/node',
  program: '/opt/sub/bin/sub.mjs',
  home: '/home/ada/.subluminal',
  port: 4711,
  enrolToken: 'sube_token',
  blockedWhenAway: [],
  passedWhenAway: [],
};
const HOOKS = '/home/ada/.codex/hooks.json';
const CONFIG = '/home/ada/.codex/config.toml';

function world(texts: Record<string, string>, setup = SETUP) {
  const where: Where = {
    userHome: '/home/ada',
    project: '/srv/app',
    platform: 'linux',
    env: {},
    readText: (path) => texts[path],
    list: () => [],
  };
  const files = codexHooks.files(where);
  const install = (): void => {
    for (const { path, installed } of files) texts[path] = installed(texts[path] ?? '', setup);
  };
  const remove = (): void => {
    for (const { path, removed } of files.toReversed()) texts[path] = removed(texts[path] ?? '');
  };
  const isWhole = (): boolean => files.every((file) => file.isWhole(texts[file.path] ?? '', undefined));
  return { where, install, isWhole, remove };
}

test('the launcher of the home takes the place of a node and a `sub` that were named before', () => {
  const texts: Record<string, string> = { [CONFIG]: 'model = "gpt"\n' };
  world(texts).install();
  const { install, isWhole, remove, where } = world(texts, {
    ...SETUP,
    node: '/home/ada/.subluminal/sub',
    program: undefined,
  });
  const starts = () =>
    codexHooks.files(where).flatMap(({ contents, path }) => contents(texts[path] ?? '').starts);
  expect(starts()).toEqual(['/usr/bin/node', '/opt/sub/bin/sub.mjs']);
  install();
  expect(texts[CONFIG]).toContain(
    'command = "/home/ada/.subluminal/sub"\nargs = ["hooks", "serve", "codex", "--home", "/home/ada/.subluminal"]\n',
  );
  expect(starts()).toEqual(['/home/ada/.subluminal/sub']);
  expect(isWhole()).toBe(true);
  remove();
  expect(texts[CONFIG]).toBe('model = "gpt"\n');
});

test('the hash of a handler is the one that Codex 0.169 computes', () => {
  const hashOf = (event: string): string => trustHash(event, codexHandler(event), undefined);
  expect(hashOf('Stop')).toBe('sha256:fb7573f5a04d67fba67cef08be6bef6c1c5096eec08f98399a439e9a91f1b515');
  expect(hashOf('PreToolUse')).toBe(
    'sha256:63620824f3d3316e2f2e7c9da3800a3c54e9e013d5efc82adcd26d58dc3fc5d4',
  );
  expect(trustKey(HOOKS, 'UserPromptSubmit', 1, 0)).toBe(`${HOOKS}:user_prompt_submit:1:0`);
});

test.each([
  ['an empty file', ''],
  ['settings without a server', 'model = "gpt"\n'],
  [
    'servers and comments',
    '# mine\n[mcp_servers.files]\ncommand = "npx" # x\n\n[mcp_servers.files.env]\nA = "1"\n',
  ],
  ['no line feed at its end', 'model = "gpt"'],
  ['trust of other hooks', `[hooks.state."${HOOKS}:stop:7:0"]\ntrusted_hash = "sha256:00"\n`],
])(
  '%s gets the control server and its trust, and means what it meant when they are taken out',
  (_name, config) => {
    const texts: Record<string, string> = { '/home/ada/.codex/config.toml': config };
    const { install, remove } = world(texts);
    install();
    const installed = texts['/home/ada/.codex/config.toml'] ?? '';
    expect(installed.startsWith(config)).toBe(true);
    expect(installed).toContain('[mcp_servers.subluminal]');
    expect(installed.match(/trusted_hash = "sha256:[0-9a-f]{64}"/g)).toHaveLength(9);
    install();
    expect(texts['/home/ada/.codex/config.toml']).toBe(installed);
    remove();
    expect(texts['/home/ada/.codex/config.toml']?.trim()).toBe(config.trim());
    expect(JSON.parse(texts[HOOKS] ?? '')).toEqual({});
  },
);

test('the trust of a handler names its place behind the hooks of others', () => {
  const own = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] } };
  const texts: Record<string, string> = { [HOOKS]: JSON.stringify(own) };
  const { install, remove } = world(texts);
  install();
  const config = texts['/home/ada/.codex/config.toml'];
  expect(config).toContain(`[hooks.state."${HOOKS}:stop:1:0"]`);
  expect(config).toContain(`[hooks.state."${HOOKS}:pre_tool_use:0:0"]`);
  remove();
  expect(JSON.parse(texts[HOOKS] ?? '')).toEqual(own);
});

test('a tool that is not called without a gateway gets a guard beside, and the server is told', () => {
  const texts: Record<string, string> = {};
  const guarded = { ...SETUP, home: "/home/ada's/.subluminal", blockedWhenAway: ['Bash'] };
  const { install, isWhole, remove } = world(texts, guarded);
  install();
  const [asks, guard] = (JSON.parse(texts[HOOKS] ?? '') as { hooks: { PreToolUse: unknown[] } }).hooks
    .PreToolUse;
  expect(asks).toMatchObject({ hooks: [{ type: 'mcp_tool' }] });
  expect(guard).toMatchObject({ matcher: '^(?:Bash)$', hooks: [{ type: 'command', timeout: 15 }] });
  expect(texts[CONFIG]).toContain(`[hooks.state."${HOOKS}:pre_tool_use:1:0"]`);
  expect(texts[CONFIG]).toContain('"--block-when-away", "Bash", "--home"');
  expect(isWhole()).toBe(true);
  // A second install names another tool, and the first one stays.
  world(texts, { ...guarded, blockedWhenAway: ['apply_patch'] }).install();
  expect(texts[HOOKS]).toContain('^(?:Bash|apply_patch)$');
  expect(isWhole()).toBe(true);
  texts[CONFIG] = (texts[CONFIG] ?? '').replace('"--block-when-away", "Bash", ', '');
  expect(isWhole()).toBe(false);
  install();
  expect(isWhole()).toBe(true);
  remove();
  expect([texts[CONFIG], texts[HOOKS]]).toEqual(['', '{}\n']);
});

test('a guard of another version is replaced by an install, and is taken out', () => {
  const texts: Record<string, string> = {};
  const { install, isWhole, remove } = world(texts, { ...SETUP, blockedWhenAway: ['Bash'] });
  install();
  const now = { ...texts };
  // As another version has written both files.
  const hashOf = (text: string): string => {
    const guard = handlersIn(text).find(({ handler }) => handler['type'] === 'command');
    return trustHash('PreToolUse', guard?.handler ?? {}, guard?.matcher);
  };
  const asBefore = (): void => {
    texts[HOOKS] = (now[HOOKS] ?? '').replace('cat >/dev/null; ', '');
    texts[CONFIG] = (now[CONFIG] ?? '').replace(hashOf(now[HOOKS] ?? ''), hashOf(texts[HOOKS]));
  };
  asBefore();
  expect(texts[CONFIG]).not.toBe(now[CONFIG]);
  expect(isWhole()).toBe(false);
  install();
  expect(texts).toEqual(now);
  asBefore();
  remove();
  expect([texts[CONFIG], texts[HOOKS]]).toEqual(['', '{}\n']);
});

test('trust of a handler that stood where ours stands now makes room for it', () => {
  const texts: Record<string, string> = {
    '/home/ada/.codex/config.toml': `[hooks.state."${HOOKS}:stop:0:0"]\ntrusted_hash = "sha256:00"\n`,
  };
  world(texts).install();
  expect(texts['/home/ada/.codex/config.toml']).not.toContain('sha256:00');
});

test('a server of somebody else that has the name of ours stays, and nothing is installed', () => {
  const own = '[mcp_servers.subluminal]\ncommand = "mine"\n';
  const texts: Record<string, string> = { [CONFIG]: own };
  const { install, remove } = world(texts);
  expect(install).toThrow(/redefine/);
  remove();
  expect(texts[CONFIG]).toBe(own);
});

test('an inline table of servers, which nothing can be added to, is not changed', () => {
  const texts: Record<string, string> = {
    '/home/ada/.codex/config.toml': 'mcp_servers = { files = { command = "npx" } }\n',
  };
  expect(() => world(texts).install()).toThrow(/line/);
});

test.each([
  ['[features]\nhooks = false\n', 1],
  ['features.hooks = false\n', 1],
  ['features = { codex_hooks = false }\n', 1],
  ['[profiles.fast.features]\nhooks = false\n', 1],
  ['[other]\nhooks = false\n', 0],
  ['features = false\n', 0],
])('of the settings %j, what switches hooks off is named', (text, count) => {
  expect(codexHooks.obstacles(world({ [CONFIG]: text }).where)).toHaveLength(count);
});

test.each([
  ['a hook that stands before ours since', HOOKS, '"Stop": [', '"Stop": [{"hooks": []},'],
  ['a hook of ours that is gone', HOOKS, '"PreToolUse"', '"Other"'],
  ['a hook of ours that asks for less', HOOKS, '"timeout": 15', '"timeout": 1'],
  ['trust of other words', CONFIG, /sha256:[0-9a-f]{64}/, 'sha256:00'],
  ['a hook that is switched off', CONFIG, 'trusted_hash', 'enabled = false\ntrusted_hash'],
  ['a server that is switched off', CONFIG, 'startup_timeout_sec', 'enabled = false\nstartup_timeout_sec'],
  ['no server', CONFIG, '[mcp_servers.subluminal]', '[mcp_servers.other]'],
])('%s is noticed, and mended by an install', (_name, path, old, now) => {
  const texts: Record<string, string> = {};
  const { install, isWhole } = world(texts);
  install();
  expect(isWhole()).toBe(true);
  const installed = texts[path] ?? '';
  texts[path] = installed.replace(old, now);
  expect(texts[path]).not.toBe(installed);
  expect(isWhole()).toBe(false);
  install();
  expect(isWhole()).toBe(true);
});
