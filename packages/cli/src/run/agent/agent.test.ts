import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENROL_TOKEN_PREFIX } from '@subluminal/core-types';
import { parse } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeHome } from './claude.js';
import type { ClientHome, Homes } from './client-home.js';
import { codexHome } from './codex.js';
import { clientProgram } from './program.js';

const TOKEN = `${ENROL_TOKEN_PREFIX}abcDEF_123`;

let root: string;
let homes: Homes;
beforeEach(() => {
  root = mkdtempSync('/var/tmp/sub-agent-');
  homes = { outside: join(root, 'user'), inside: '/home/u', project: join(root, 'shop') };
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string | object): void {
  const at = join(root, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, typeof text === 'string' ? text : JSON.stringify(text));
}

const textOf = ({ files }: ClientHome, name: string): string =>
  files.find(({ path }) => path.endsWith(name))?.text ?? '';
const json = (home: ClientHome, name: string): unknown => JSON.parse(textOf(home, name));

describe('Claude Code in a world', () => {
  it('has its servers and what it knows of the project, and nothing of others, of accounts or of keys', () => {
    put('user/.claude.json', {
      theme: 'dark',
      userID: 'someone',
      oauthAccount: { emailAddress: 'a@b.test' },
      customApiKeyResponses: { approved: ['tail-of-a-key'] },
      projects: {
        [homes.project]: {
          hasTrustDialogAccepted: true,
          history: ['a prompt'],
          mcpServers: { own: { command: 'own', env: { KEY: 'secret' } } },
        },
        '/other': { hasTrustDialogAccepted: true },
      },
      mcpServers: {
        files: { command: 'npx', args: ['files'], env: { KEY: 'secret', PLAIN: 'word' }, extra: 'secret' },
        remote: {
          type: 'http',
          url: 'http://127.0.0.1:1/mcp/remote',
          headers: { 'Subluminal-Token': TOKEN, Authorization: 'secret' },
        },
      },
    });
    const home = claudeHome(homes, {}, ['PLAIN']);
    expect(json(home, '/home/u/.claude.json')).toEqual({
      theme: 'dark',
      projects: {
        [homes.project]: { hasTrustDialogAccepted: true, mcpServers: { own: { command: 'own', env: {} } } },
      },
      mcpServers: {
        files: { command: 'npx', args: ['files'], env: { PLAIN: 'word' } },
        remote: {
          type: 'http',
          url: 'http://127.0.0.1:1/mcp/remote',
          headers: { 'Subluminal-Token': 'world' },
        },
      },
    });
    expect(home.leftOut).toEqual(['`KEY` of `files`', '`Authorization` of `remote`', '`KEY` of `own`']);
  });

  it('has the rules and hooks of its settings, and none of their keys', () => {
    const hooks = {
      PreToolUse: [{ hooks: [{ type: 'http', headers: { Authorization: `Bearer ${TOKEN}` } }] }],
    };
    put('user/.claude/settings.json', {
      model: 'opus',
      permissions: { deny: ['Read(.env)'] },
      hooks,
      apiKeyHelper: '/home/u/print-the-key',
      env: { LANG: 'C', ANTHROPIC_AUTH_TOKEN: 'secret' },
      sandbox: { enabled: true },
    });
    put('user/.claude/agents/one.md', 'a subagent');
    const home = claudeHome(homes, {}, []);
    expect(json(home, '/home/u/.claude/settings.json')).toEqual({
      model: 'opus',
      permissions: { deny: ['Read(.env)'] },
      hooks: { PreToolUse: [{ hooks: [{ type: 'http', headers: { Authorization: 'Bearer world' } }] }] },
      env: { LANG: 'C' },
    });
    expect(home).toMatchObject({
      hadSandbox: true,
      words: ['--settings', '{"sandbox":{"enabled":false}}'],
      leftOut: ['`ANTHROPIC_AUTH_TOKEN` of its settings'],
      logins: [join(homes.outside, '.claude/.credentials.json')],
      shown: [{ path: '/home/u/.claude/agents', source: join(homes.outside, '.claude/agents') }],
    });
  });

  it('has its own sandbox turned off that only the project asks for', () => {
    put('shop/.claude/settings.local.json', { sandbox: { enabled: true } });
    expect(claudeHome(homes, {}, [])).toMatchObject({ hadSandbox: true });
    rmSync(homes.project, { recursive: true });
    expect(claudeHome(homes, {}, [])).toMatchObject({ hadSandbox: false });
  });

  it('is shown no folder that is a link, which may lead anywhere', () => {
    put('user/.ssh/id', 'secret');
    mkdirSync(join(homes.outside, '.claude'));
    symlinkSync('../.ssh', join(homes.outside, '.claude/agents'));
    expect(claudeHome(homes, {}, []).shown).toEqual([]);
  });

  it('is not started with a file of its own that cannot be read: its hooks stand there', () => {
    put('user/.claude/settings.json', '{"hooks": ');
    expect(() => claudeHome(homes, {}, [])).toThrow(/so the client in the world would lack it/);
  });
});

describe('Codex in a world', () => {
  it('has its servers, its hooks and the trust in them, and no key', () => {
    const folder = join(homes.outside, '.codex');
    put(
      'user/.codex/config.toml',
      `model = "m"
sandbox_mode = "workspace-write"
experimental_bearer_token = "secret"
notify = ["program"]
[hooks.state."${folder}/hooks.json:stop:0:0"]
trusted_hash = "sha256:00"
[mcp_servers.files]
command = "npx"
env = { KEY = "secret" }
http_headers = { "Subluminal-Token" = "${TOKEN}", "X" = "secret" }
[model_providers.p]
name = "p"
base_url = "https://p.test"
http_headers = { "x-key" = "secret" }
[projects."/other"]
trust_level = "trusted"
`,
    );
    put('user/.codex/hooks.json', '{"hooks":{}}');
    const home = codexHome(homes, {}, [], ['exec']);
    expect(parse(textOf(home, 'config.toml'))).toEqual({
      model: 'm',
      hooks: { state: { [`${folder}/hooks.json:stop:0:0`]: { trusted_hash: 'sha256:00' } } },
      mcp_servers: { files: { command: 'npx', env: {}, http_headers: { 'Subluminal-Token': 'world' } } },
      model_providers: { p: { name: 'p', base_url: 'https://p.test' } },
      projects: {},
    });
    expect(textOf(home, 'hooks.json')).toBe('{"hooks":{}}');
    expect(home).toMatchObject({
      folders: [folder],
      env: { CODEX_HOME: folder },
      words: ['-c', 'sandbox_mode="danger-full-access"'],
      hadSandbox: true,
    });
  });

  it.each([
    ['--full-auto'],
    ['--sandbox', 'workspace-write'],
    ['-s', 'read-only'],
    ['-sread-only'],
    ['-c', 'sandbox_mode="read-only"'],
  ])('is not started with `%s`', (...args) => {
    expect(() => codexHome(homes, {}, [], ['exec', ...args, 'do it'])).toThrow(/which fails in a world/);
  });

  it('is started where it is told to have no sandbox, and where its prompt speaks of one', () => {
    for (const args of [
      ['--sandbox', 'danger-full-access'],
      ['explain --full-auto to me'],
      ['--', '--full-auto'],
    ])
      expect(codexHome(homes, {}, [], args)).toMatchObject({ folders: [join(homes.outside, '.codex')] });
  });
});

describe('the program of a client', () => {
  it('is shown with the package that it stands in, else alone under its own name', () => {
    put('lib/node_modules/@a/tool/bin/tool.js', '#!/bin/sh\n');
    put('versions/2.1', '#!/bin/sh\n');
    mkdirSync(join(root, 'bin'));
    for (const file of ['lib/node_modules/@a/tool/bin/tool.js', 'versions/2.1'])
      chmodSync(join(root, file), 0o755);
    symlinkSync('../lib/node_modules/@a/tool/bin/tool.js', join(root, 'bin/codex'));
    symlinkSync('../versions/2.1', join(root, 'bin/claude'));
    const bin = join(root, 'bin');
    const folder = join(root, 'lib/node_modules/@a/tool');
    expect(clientProgram('codex', bin, '/')).toEqual({
      command: join(folder, 'bin/tool.js'),
      shown: [{ path: folder, source: folder }],
    });
    expect(clientProgram('claude', bin, '/')).toEqual({
      command: join(bin, 'claude'),
      shown: [{ path: join(bin, 'claude'), source: join(root, 'versions/2.1') }],
    });
    expect(clientProgram('./claude', '', bin)).toMatchObject({ command: join(bin, 'claude') });
  });

  it('is no file that does not run, to which a repository’s link may lead', () => {
    put('.ssh/id', 'secret');
    mkdirSync(join(root, 'bin'));
    symlinkSync('../.ssh/id', join(root, 'bin/claude'));
    expect(clientProgram(join(root, 'bin/claude'), '', '/')).toEqual({
      command: join(root, 'bin/claude'),
      shown: [],
    });
  });
});
