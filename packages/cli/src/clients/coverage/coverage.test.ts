import { describe, expect, it } from 'vitest';
import { bypassesOf } from './bypasses.js';
import { claude } from '../claude/client.js';
import type { Client, Where } from '../client.js';
import { codex } from '../codex/client.js';
import { coverageOf, type Covered, type Facts } from './coverage.js';
import type { FileRecord } from '../file/journal.js';

const CODEX = '/h/.codex/config.toml';
const SHIM = '["/sub.mjs", "shim", "stdio", "--server", "a", "--home", "/home", "--", "npx", "pkg"]';
const ROUTED = `[mcp_servers.a]\ncommand = "/node"\nargs = ${SHIM}\n`;

function where(files: Readonly<Record<string, string | Error>>): Where {
  return {
    userHome: '/h',
    project: '/p',
    platform: 'linux',
    env: {},
    readText(path) {
      const text = files[path];
      if (text instanceof Error) throw text;
      return text;
    },
    list: () => [],
  };
}

interface Given {
  readonly client?: Client;
  readonly facts?: Partial<Facts>;
}

function cover(
  files: Readonly<Record<string, string | Error>>,
  { client = codex, facts = {} }: Given = {},
): ReturnType<typeof coverageOf> {
  return coverageOf(client, {
    where: where(files),
    home: '/home',
    defaultHome: '/home',
    exists: () => true,
    recorded: () => [],
    httpPort: 4711,
    ...facts,
  });
}

/** The coverage of the one server of Codex with this text. */
function judged(
  text: string,
  facts: Partial<Facts> = {},
): Pick<Covered, 'through' | 'reason' | 'broken'> | undefined {
  const [one] = cover({ [CODEX]: text }, { facts })?.servers ?? [];
  if (one === undefined) return undefined;
  const { through, reason, broken } = one;
  return {
    through,
    ...(reason === undefined ? {} : { reason }),
    ...(broken === undefined ? {} : { broken }),
  };
}

/** The journal of an import of `a`. */
function recorded(original: string, written: string): Partial<Facts> {
  const entries = [{ name: 'a', pointer: ['mcp_servers', 'a'], original, written }];
  const record: FileRecord = {
    path: CODEX,
    real: CODEX,
    scope: 'user',
    base: '',
    after: '',
    at: '',
    entries,
  };
  return { recorded: () => [record] };
}

describe('the coverage of a client', () => {
  it('is undefined where there is no file of it', () => {
    expect(cover({})).toBeUndefined();
  });

  it('names each server with its file and scope', () => {
    const mine =
      '{"mcpServers": {"a": {"command": "x"}}, "projects": {"/q": {"mcpServers": {"b": {"type": "http", "url": "https://x", "oauth": {}}}}}}';
    expect(
      cover(
        { '/h/.claude.json': mine, '/p/.mcp.json': '{"mcpServers": {"c": {"command": "x"}}}' },
        { client: claude },
      )?.servers,
    ).toEqual([
      {
        client: 'claude',
        file: '/h/.claude.json',
        server: 'a',
        scope: 'user',
        through: false,
        reason: 'it is not imported',
      },
      {
        client: 'claude',
        file: '/h/.claude.json',
        server: 'b',
        scope: 'local',
        through: false,
        reason: 'it signs in with oauth, which the client does with the server itself',
      },
      {
        client: 'claude',
        file: '/p/.mcp.json',
        server: 'c',
        scope: 'project',
        through: false,
        reason: 'it is not imported',
      },
    ]);
  });

  it('has what no file of the user names', () => {
    const files = { [CODEX]: '', '/etc/codex/config.toml': '[mcp_servers.m]\ncommand = "x"' };
    expect(cover(files)?.servers).toEqual([
      {
        client: 'codex',
        file: '',
        server: 'm',
        scope: 'other',
        through: false,
        reason: '`/etc/codex/config.toml` belongs to the machine',
      },
    ]);
  });

  it('tells of files that cannot be read, and goes on with the others', () => {
    const files = { [CODEX]: '[', '/p/.codex/config.toml': new Error('no permission') };
    expect(cover(files)?.problems).toEqual([
      expect.stringContaining('`/h/.codex/config.toml` cannot be read: line 1'),
      '`/p/.codex/config.toml` cannot be read: no permission',
    ]);
  });

  it('looks into files of other projects that were imported', () => {
    const path = '/other/.codex/config.toml';
    const record: FileRecord = {
      path,
      real: path,
      scope: 'project',
      base: '',
      after: '',
      at: '',
      entries: [],
    };
    const found = cover({ [path]: ROUTED }, { facts: { recorded: () => [record] } });
    expect(found?.servers).toMatchObject([{ file: path, server: 'a', through: true }]);
  });
});

describe('a routed server', () => {
  it('passes through, and says nothing more', () => {
    expect(judged(ROUTED)).toEqual({ through: true });
    expect(judged(ROUTED.replace('"--home", "/home", ', ''))).toEqual({ through: true });
  });

  it('does not where it names another home, or none and the default is another', () => {
    const reason = 'it passes through another home, `/else`';
    expect(judged(ROUTED.replace('"/home"', '"/else"'))).toEqual({ through: false, reason });
    expect(judged(ROUTED.replace('"--home", "/home", ', ''), { defaultHome: '/else' })).toEqual({
      through: false,
      reason,
    });
  });

  it.each(['/node', '/sub.mjs'])('is broken where `%s` is gone', (gone) => {
    const reason = `\`${gone}\` is not there, so that it does not start`;
    expect(judged(ROUTED, { exists: (path) => path !== gone })).toEqual({
      through: false,
      reason,
      broken: true,
    });
  });

  it('is judged by its program alone, and not by what the server names', () => {
    expect(judged(ROUTED.replace('"pkg"', '"/pkg"'), { exists: (path) => path !== '/pkg' })).toEqual({
      through: true,
    });
  });

  it('that is remote is broken where the gateway does not listen, or elsewhere', () => {
    const headers = 'http_headers = { Subluminal-Upstream = "https://x", Subluminal-Token = "t" }\n';
    const written = `url = "http://127.0.0.1:4711/mcp/a"\n${headers}`;
    const text = `[mcp_servers.a]\n${written}`;
    const facts = recorded('url = "https://x"\n', written);
    expect(judged(text, facts)).toEqual({ through: true });
    expect(judged(text, { ...facts, httpPort: undefined })).toEqual({ through: true });
    const [elsewhere, silent] = [
      'it names port 4711, and the gateway of this home has 1',
      'the gateway of this home does not listen for remote servers',
    ];
    expect(judged(text, { ...facts, httpPort: 1 })).toEqual({
      through: false,
      broken: true,
      reason: elsewhere,
    });
    expect(judged(text, { ...facts, httpPort: null })).toEqual({
      through: false,
      broken: true,
      reason: silent,
    });
    // It may be another home's.
    expect(judged(text, { httpPort: 1 })).toEqual({ through: false, reason: elsewhere });
  });

  it('does not where another file changes it, or a list of the machine does not let it start', () => {
    const overlay = cover({ [CODEX]: ROUTED, '/p/.codex/config.toml': '[mcp_servers.a]\nargs = ["x"]' });
    expect(overlay?.servers[0]).toMatchObject({
      through: false,
      reason: '`/p/.codex/config.toml` changes it, and would change what is routed',
    });
    const listed = cover({ [CODEX]: ROUTED, '/etc/codex/requirements.toml': 'mcp_servers = {}' });
    expect(listed?.servers[0]).toMatchObject({
      through: false,
      reason: expect.stringContaining('exact command'),
    });
  });

  it('that was changed since is told', () => {
    const facts = recorded('command = "npx"\nargs = ["pkg"]\n', `command = "/node"\nargs = ${SHIM}\n`);
    expect(judged(ROUTED, facts)).toEqual({ through: true });
    expect(judged(ROUTED.replace('"pkg"', '"pkg", "--more"'), facts)).toEqual({
      through: true,
      reason: 'it was changed since it was imported',
    });
    expect(judged('[mcp_servers.a]\ncommand = "npx"\n', facts)).toEqual({
      through: false,
      reason: 'it was imported, and names its server itself again',
    });
  });
});

describe('what takes a client past us', () => {
  it('are its flags, and first what an administrator has set', () => {
    const path = '/etc/claude-code/managed-settings.json';
    const [first, ...flags] = bypassesOf('claude', where({ [path]: '{"allowManagedMcpServersOnly": true}' }));
    expect(first).toEqual({
      client: 'claude',
      way: `allowManagedMcpServersOnly in ${path}`,
      effect: 'only the servers that this file allows are started',
      set: true,
    });
    for (const broken of ['{', new Error('EACCES')]) {
      const [unread, ...rest] = bypassesOf('claude', where({ [path]: broken }));
      expect(unread).toMatchObject({
        way: path,
        effect: expect.stringMatching(/^it could not be read/),
        set: true,
      });
      expect(rest).toEqual(flags);
    }
    expect(flags.map(({ way }) => way)).toContain('--strict-mcp-config');
    expect(bypassesOf('codex', where({})).map(({ way }) => way)).toContain('--ignore-user-config');
    expect(bypassesOf('gemini', where({}))).toEqual([]);
  });
});

describe('what only looks like a routed server', () => {
  const plain = ['/sub.mjs', 'shim', 'stdio', '--server', 'a', '--home', '/home', '--', 'x'];
  const started = (command: string, args: readonly string[], env: object = {}): Covered | undefined =>
    cover(
      { '/h/.claude.json': JSON.stringify({ mcpServers: { a: { command, args, env } } }) },
      { client: claude },
    )?.servers[0];

  it.each([
    ['/node', plain],
    ['/usr/bin/node', ['--max-semi-space-size=2', '--single-threaded-gc', ...plain]],
    [
      '/usr/bin/node',
      ['--max-semi-space-size=2', '--single-threaded-gc', '--heap-growing-percent=50', ...plain],
    ],
    ['node', plain],
    ['sub', plain.slice(1)],
    ['/usr/bin/sub', plain.slice(1)],
  ])('%s %j is none of those', (command, args) => {
    expect(started(command, args)).toMatchObject({ through: true });
  });

  it.each([
    ['/node', ['--require', '/evil.js', ...plain], 'something else than `sub`'],
    ['/node', ['--import=/evil.js', ...plain], 'something else than `sub`'],
    ['/evil', plain, 'something else than `sub`'],
    ['./node', plain, 'depends on the folder'],
    ['node_modules/.bin/sub', plain.slice(1), 'depends on the folder'],
    ['node', ['sub.mjs', ...plain.slice(1)], 'depends on the folder'],
    ['/node', ['./sub.mjs', ...plain.slice(1)], 'depends on the folder'],
    ['/node', [...plain.slice(0, 7), '--home', '/other', ...plain.slice(7)], 'other flags'],
    ['/node', [...plain.slice(0, 5), '--home=/other', ...plain.slice(7)], 'other flags'],
    ['/node', [...plain.slice(0, 7), '--server', 'b', ...plain.slice(7)], 'other flags'],
  ])('%s %j does not pass, and is not said to be routed', (command, args, reason) => {
    expect(started(command, args)).toMatchObject({ through: false, reason: expect.stringContaining(reason) });
  });

  it('does not pass with a path in which it is looked for of its own', () => {
    expect(started('sub', plain.slice(1), { PATH: './evil' })).toMatchObject({ through: false });
  });

  it('is told of where a variable has code loaded into the shim', () => {
    expect(started('/node', plain, { NODE_OPTIONS: '--require /x' })).toMatchObject({
      through: true,
      reason: expect.stringContaining('`NODE_OPTIONS`'),
    });
  });

  it('is not said of files of Codex that could not be read', () => {
    const system = '/etc/codex/config.toml';
    const told = (files: Readonly<Record<string, string | Error>>): unknown =>
      cover(files)
        ?.servers.filter(({ file }) => file === '')
        .map(({ server, through, reason }) => [server, through, reason]);
    for (const broken of ['[', new Error('EACCES')]) {
      expect(told({ [CODEX]: ROUTED, [system]: broken })).toEqual([
        [system, false, 'it could not be read, and may name servers'],
      ]);
      expect(told({ [CODEX]: broken })).toEqual([
        [CODEX, false, 'it could not be read, and may name plugins, which bring servers'],
      ]);
    }
  });
});
