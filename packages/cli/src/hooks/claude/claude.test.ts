import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Where } from '../../clients/client.js';
import { claudeHooks } from './claude.js';
import type { HookSetup } from '../hook-client.js';

const SETUP: HookSetup = {
  node: '/usr/bin/node',
  program: '/opt/sub/bin/sub.mjs',
  home: '/home/ada/.subluminal',
  port: 4711,
  enrolToken: 'sube_token',
  blockedWhenAway: [],
  passedWhenAway: [],
};
/** The same where the launcher of the home starts `sub`. */
const BY_LAUNCHER: HookSetup = { ...SETUP, node: '/home/ada/.subluminal/sub', program: undefined };
const where = (files: Readonly<Record<string, string>> = {}): Where => ({
  userHome: '/home/ada',
  project: '/srv/app',
  platform: 'linux',
  env: {},
  readText: (path) => files[path],
  list: () => [],
});
const [FILE] = claudeHooks.files(where());
if (FILE === undefined) throw new Error('Claude Code has no file of hooks');

/** Hooks as people have them. */
const OWN_HOOKS: readonly (object | undefined)[] = [
  undefined,
  { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
  {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          { type: 'command', command: 'guard' },
          { type: 'http', url: 'http://127.0.0.1:9/x' },
        ],
      },
    ],
  },
  {
    PreToolUse: [
      { matcher: 'Edit|Write', hooks: [{ type: 'command', command: 'fmt', timeout: 5 }] },
      { hooks: [{ type: 'prompt', prompt: 'is this wise?' }] },
    ],
    SessionStart: [{ hooks: [{ type: 'command', command: '/x/sub', args: ['hooks', 'begin'] }] }],
    Unknown: [{ hooks: [] }],
  },
];
const OTHERS: readonly object[] = [
  {},
  { model: 'opus' },
  { permissions: { allow: ['Bash(ls:*)'], deny: [] }, env: { A: '1' } },
  { $schema: 'x', statusLine: { type: 'command', command: 'x' }, includeCoAuthoredBy: false },
  { 'weird "key"': [1, 2.5, null, { deep: [[]] }], text: 'ünï\u2028 \\ "q"' },
];
const LAYOUTS: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => `${JSON.stringify(value, null, '\t')}\n`,
];

test('sixty files of settings get the hooks, and lose them again, with every other byte as it was', () => {
  for (const hooks of OWN_HOOKS)
    for (const other of OTHERS)
      for (const layout of LAYOUTS) {
        const text = layout(hooks === undefined ? other : { ...other, hooks });
        const installed = FILE.installed(text, SETUP);
        const parsed = JSON.parse(installed);
        for (const [event, groups] of Object.entries(hooks ?? {}))
          expect(parsed.hooks[event].slice(0, groups.length)).toEqual(groups);
        expect(parsed.hooks.PreToolUse.at(-1).hooks[0].url).toBe('http://127.0.0.1:4711/hook/claude');
        expect({ ...parsed, hooks: undefined }).toEqual({ ...JSON.parse(text), hooks: undefined });
        expect(FILE.installed(installed, SETUP)).toBe(installed);
        expect(FILE.removed(text)).toBe(text);
        expect(FILE.removed(installed)).toBe(text);
      }
});

test('in whatever order others write their hooks meanwhile, only ours go', () => {
  const event = fc.constantFrom('PreToolUse', 'Stop', 'SessionStart', 'Own');
  const group = fc.record({
    hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() }), {
      minLength: 1,
      maxLength: 2,
    }),
  });
  fc.assert(
    fc.property(
      fc.dictionary(event, fc.array(group, { minLength: 1, maxLength: 3 })),
      fc.array(fc.tuple(event, group)),
      (own, later) => {
        const installed = JSON.parse(FILE.installed(JSON.stringify({ hooks: own }), SETUP));
        const expected: Record<string, unknown[]> = structuredClone(own);
        for (const [name, added] of later) {
          installed.hooks[name] = [added, ...(installed.hooks[name] ?? [])];
          expected[name] = [added, ...(expected[name] ?? [])];
        }
        const removed = JSON.parse(FILE.removed(JSON.stringify(installed, null, 2)));
        expect(removed.hooks ?? {}).toEqual(expected);
      },
    ),
  );
});

test('the launcher of the home takes the place of a node and a `sub` that were named before', () => {
  const now = FILE.installed(FILE.installed('{"model": "opus"}', SETUP), BY_LAUNCHER);
  expect(JSON.parse(now).hooks.SessionStart).toEqual([
    {
      hooks: [
        {
          type: 'command',
          command: '/home/ada/.subluminal/sub',
          args: ['hooks', 'begin', 'claude', '--home', '/home/ada/.subluminal'],
          timeout: 15,
        },
      ],
    },
  ]);
  expect(FILE.isWhole(now, 4711)).toBe(true);
  expect(FILE.contents(now).starts).toEqual(['/home/ada/.subluminal/sub']);
  expect(FILE.contents(FILE.installed('{}', SETUP)).starts).toEqual([
    '/usr/bin/node',
    '/opt/sub/bin/sub.mjs',
  ]);
  expect(FILE.installed(now, BY_LAUNCHER)).toBe(now);
  expect(FILE.removed(now)).toBe('{"model": "opus"}');
});

test('a file that is not there begins as an object with hooks alone', () => {
  const installed = FILE.installed('', SETUP);
  expect(Object.keys(JSON.parse(installed))).toEqual(['hooks']);
  expect(installed.endsWith('}\n')).toBe(true);
});

test('an older installation is replaced, not doubled', () => {
  const older = FILE.installed('{}', { ...SETUP, port: 1, enrolToken: 'old' });
  const now = FILE.installed(older, SETUP);
  expect(now).toBe(FILE.installed('{}', SETUP));
  expect(now).not.toContain('old');
});

test('tools that are to be blocked while the gateway is away have a group of their own, and no tool has two', () => {
  const { hooks } = JSON.parse(FILE.installed('{}', { ...SETUP, blockedWhenAway: ['Bash', 'Write'] }));
  const matchers = hooks.PreToolUse.map((group: { matcher: string }) => group.matcher);
  expect(matchers).toEqual(['Bash|Write', '^(?!(?:Bash|Write)$)']);
  expect(
    hooks.PreToolUse.map((group: { hooks: { onFailure?: string }[] }) => group.hooks[0]?.onFailure),
  ).toEqual(['block', undefined]);
  const other = new RegExp(matchers[1]);
  expect(['Bash', 'Write', 'BashOutput', 'Edit', 'mcp__x__Bash'].map((name) => other.test(name))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test.each(['[]', '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{ // note\n}', '{"a": 1,}', 'nonsense'])(
  'a file that the client cannot read (%s) is not changed',
  (text) => {
    expect(() => FILE.installed(text, SETUP)).toThrow(/line 1, column/);
  },
);

test('settings that switch hooks off are named, and hooks of a repository with them', () => {
  const at = where({
    '/home/ada/.claude/settings.json': '{"disableAllHooks": true}',
    '/srv/app/.claude/settings.local.json':
      '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    '/etc/claude-code/managed-settings.json': '{"allowManagedHooksOnly": true}',
  });
  expect(claudeHooks.obstacles(at)).toEqual([
    { path: '/home/ada/.claude/settings.json', why: '`disableAllHooks` switches every hook off' },
    {
      path: '/etc/claude-code/managed-settings.json',
      why: '`allowManagedHooksOnly` leaves only hooks of the administrator',
    },
  ]);
  expect(claudeHooks.foreign(at)).toEqual([
    { path: '/srv/app/.claude/settings.local.json', events: ['PreToolUse'] },
  ]);
});

test("in the folder of the account its settings are told of once, and are no project's", () => {
  const hook = '{"hooks": [{"type": "command", "command": "x"}]}';
  const settings = `{"disableAllHooks": true, "hooks": {"PreToolUse": [${hook}]}}`;
  const at = { ...where({ '/home/ada/.claude/settings.json': settings }), project: '/home/ada' };
  expect(claudeHooks.obstacles(at)).toHaveLength(1);
  expect(claudeHooks.foreign(at)).toEqual([]);
});

test.each([
  ['http://127.0.0.1:4711/hook/claude', true],
  ['http://127.0.0.1:*/hook/*', true],
  ['*', true],
  ['http://*/hook/claude', true],
  ['https://hooks.example.com/*', false],
  ['http://127.0.0.1:4712/*', false],
])('a list of addresses with `%s` lets ours be asked: %s', (pattern, isListed) => {
  const at = where({
    '/home/ada/.claude/settings.json': FILE.installed('{}', SETUP),
    '/srv/app/.claude/settings.json': JSON.stringify({ allowedHttpHookUrls: ['https://x/', pattern] }),
  });
  expect(claudeHooks.obstacles(at)).toHaveLength(isListed ? 0 : 1);
});

test.each([
  ['`PreToolUse` that is gone', '"PreToolUse"', '"Other"'],
  ['a matcher that takes less', '"matcher": "*"', '"matcher": "Read"'],
  ['a token that is gone', /"headers": \{[^}]*\}/, '"headers": {}'],
  ['a program that is not started', '"SessionStart"', '"Other"'],
  ['a tool that blocks no longer', '"onFailure": "block"', '"onFailure": "pass"'],
])('%s is noticed, and mended by an install', (_name, old, now) => {
  const setup = { ...SETUP, blockedWhenAway: ['Bash', 'Write'] };
  const text = FILE.installed('{"model": "opus"}', setup);
  expect([FILE.isWhole(text, 4711), FILE.isWhole(text, undefined)]).toEqual([true, true]);
  expect([FILE.isWhole(text, 4712), FILE.isWhole(text, null)]).toEqual([false, false]);
  const changed = text.replace(old, now);
  expect(changed).not.toBe(text);
  expect(FILE.isWhole(changed, 4711)).toBe(false);
  expect(FILE.isWhole(FILE.installed(changed, setup), 4711)).toBe(true);
});
