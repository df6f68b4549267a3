import { describe, expect, it } from 'vitest';
import type { Reading, ServerEntry, Where } from '../client.js';
import { codex } from './client.js';

/** A machine with these files and nothing else. */
function machine(files: Readonly<Record<string, string>>, more: Partial<Where> = {}): Where {
  return {
    userHome: '/h',
    project: '/w/repo/sub',
    platform: 'linux',
    env: {},
    readText: (path) => files[path],
    list: (path) => [
      ...new Set(
        Object.keys(files)
          .filter((file) => file.startsWith(`${path === '/' ? '' : path}/`))
          .map((file) => file.slice(path === '/' ? 1 : path.length + 1).split('/')[0] ?? ''),
      ),
    ],
    ...more,
  };
}

function readings(where: Where): readonly Reading[] {
  return codex.files(where).map((file) => codex.read(file, where.readText(file.path) ?? ''));
}

/** The one entry of a file of the user's. */
function entry(text: string): ServerEntry | undefined {
  return codex.read({ path: '/h/.codex/config.toml', scope: 'user' }, text).entries[0];
}

describe('the files of Codex', () => {
  it('are those of the user, of profiles, and of each folder from the root of the repository', () => {
    const where = machine({
      '/h/.codex/work.config.toml': '',
      '/h/.codex/auth.json': '',
      '/w/repo/.git/HEAD': '',
    });
    expect(codex.files(where)).toEqual([
      { path: '/h/.codex/config.toml', scope: 'user' },
      { path: '/h/.codex/work.config.toml', scope: 'profile' },
      { path: '/w/repo/.codex/config.toml', scope: 'project', project: '/w/repo' },
      { path: '/w/repo/sub/.codex/config.toml', scope: 'project', project: '/w/repo/sub' },
    ]);
  });

  it('stand where `CODEX_HOME` says, and in a project that is no repository in its own folder', () => {
    expect(codex.files(machine({}, { env: { CODEX_HOME: '/c' } })).map(({ path }) => path)).toEqual([
      '/c/config.toml',
      '/w/repo/sub/.codex/config.toml',
    ]);
  });

  it('are one where the project is the home of the user', () => {
    expect(codex.files(machine({}, { project: '/h' }))).toEqual([
      { path: '/h/.codex/config.toml', scope: 'user' },
    ]);
  });
});

describe('an entry of Codex', () => {
  it.each([
    ['command = "x"', 'stdio', undefined],
    ['command = "x"\nenvironment_id = "local"', 'stdio', undefined],
    ['url = "https://h/mcp"', 'http', undefined],
    ['url = "https://h/mcp"\nbearer_token_env_var = "T"', 'http', undefined],
    ['command = "x"\nenvironment_id = "far"', 'stdio', 'it runs on another machine'],
    ['command = "x"\nurl = "https://h"', 'unknown', 'it has both a command and an address'],
    ['command = "x"\nargs = [1]', 'unknown', 'its `args` are not a list of texts'],
    ['command = "x"\nargs = "y"', 'unknown', 'its `args` are not a list of texts'],
    ['command = "x"\nenv_vars = [1]', 'unknown', 'its `env_vars` are not a list of names'],
    ['command = "x"\nenv = []', 'unknown', 'its `env` is no table'],
    ['command = "x"\nenv = { "A=B" = "" }', 'unknown', 'it names a variable that cannot be one'],
    ['command = 1', 'unknown', 'its command or address is no text'],
    ['command = ""', 'unknown', 'it has no command'],
    [
      'enabled = false',
      'unknown',
      'it changes a server that another file names, and has no command or address itself',
    ],
    ['url = "unix:///x"', 'unknown', 'its address is none of HTTP'],
    ['url = "https://h"\nhttp_headers = "x"', 'unknown', 'its `http_headers` are no table of texts'],
    ['url = "https://h"\nhttp_headers.a.b = "x"', 'unknown', 'its `http_headers` are no table of texts'],
    [
      'url = "https://h"\nhttp_headers.subluminal-token = "x"',
      'unknown',
      'it has a header of a name that routing needs',
    ],
    [
      'url = "https://h"\nauth = "oauth"',
      'http',
      'Codex logs in to it itself (`auth`), and only at its own address',
    ],
    [
      'url = "https://h"\nhttp_headers_helper = "x"',
      'http',
      'Codex logs in to it itself (`http_headers_helper`), and only at its own address',
    ],
    ['url = "http://127.0.0.1:1/mcp/a"', 'http', undefined],
    ['command = "sub"\nargs = ["shim", "stdio", "--server", "a", "--", "x"]', 'ours', undefined],
    ['command = "other"\nargs = ["shim", "stdio", "--server", "a", "--", "x"]', 'stdio', undefined],
  ] as const)('%j is %s', (text, kind, cannot) => {
    const found = entry(`[mcp_servers.a]\n${text}\n`);
    expect({ kind: found?.kind, cannot: found?.cannot }).toEqual({ kind, cannot });
  });

  it('gives each variable that its server gets, once', () => {
    const text =
      '[mcp_servers.a]\ncommand = "x"\nenv_vars = ["B", { name = "C", source = "remote" }, "A"]\nenv = { A = "1" }\n';
    expect(entry(text)).toMatchObject({ envKeys: ['A', 'B', 'C'], pointer: ['mcp_servers', 'a'] });
  });

  it.each([
    ['mcp_servers = 1', 'line 1, column 1: `mcp_servers` is no table'],
    ['x = 1\n[[mcp_servers]]\ncommand = "x"', 'line 2, column 1: `mcp_servers` is no table'],
    ['[mcp_servers.a]\ncommand = "x', 'line 2, column 11: unfinished string'],
  ])('in a broken file is none, and the place is told: %j', (text, problem) => {
    expect(codex.read({ path: '/x', scope: 'user' }, text)).toMatchObject({ entries: [], problem });
  });

  it('is shown without the values of its variables, headers and logins', () => {
    const text = [
      '[mcp_servers.a]',
      'command = "x" # c',
      'bearer_token = "one"',
      'env = { A = "two", B = "" }',
      'oauth.client_secret = "three"',
      '[mcp_servers.a.http_headers]',
      '"C" = "four"',
      'Subluminal-Upstream = "https://x"',
    ].join('\n');
    const masked = codex.masked({ path: '/x', scope: 'user' }, text);
    expect(masked).toBe(text.replaceAll(/"(?:one|two|three|four)"/g, '"[REDACTED]"'));
  });
});

describe('what Codex does not let route', () => {
  const forbidden = (files: Readonly<Record<string, string>>): unknown => {
    const where = machine(files);
    const [user, ...others] = readings(where);
    const first = user?.entries[0] ?? expect.unreachable();
    const why = codex.forbids(where, user === undefined ? [] : [user, ...others])(first);
    // Files that are not asked for are read all the same.
    expect(codex.forbids(where, [])(first)).toBe(why);
    return why;
  };
  const user = (text: string): Record<string, string> => ({
    '/h/.codex/config.toml': `[mcp_servers.a]\n${text}`,
  });
  const project = '/w/repo/sub/.codex/config.toml';

  it.each([
    ['arguments', 'args = ["x"]', true],
    ['a variable', 'env.A = "x"', true],
    ['a command alone', 'command = "x"', true],
    ['an address', 'url = "https://h"', true],
    ['a command with its arguments', 'command = "x"\nargs = []', false],
    ['other settings', 'enabled = false\ntool_timeout_sec = 1', false],
  ])('is a server to which another file gives %s', (_, text, refused) => {
    const why = `\`${project}\` changes it, and would change what is routed`;
    expect(forbidden({ ...user('command = "y"'), [project]: `[mcp_servers.a]\n${text}` })).toBe(
      refused ? why : undefined,
    );
  });

  it('is any server where the machine names those that may start', () => {
    const path = '/etc/codex/requirements.toml';
    const why = `\`${path}\` allows servers by their exact command or address`;
    expect(forbidden({ ...user('command = "y"'), [path]: '[mcp_servers.a.identity]\ncommand = "y"' })).toBe(
      why,
    );
    expect(forbidden({ ...user('command = "y"'), [path]: 'allowed_sandbox_modes = []' })).toBeUndefined();
    expect(forbidden({ ...user('command = "y"'), [path]: 'broken' })).toContain('cannot be read');
  });

  it('is a remote server that Codex is logged in to', () => {
    const login = (url: string): string =>
      JSON.stringify({ 'a|1': { server_name: 'a', server_url: url, access_token: 's' } });
    const path = '/h/.codex/.credentials.json';
    const files = user('url = "https://h/mcp"');
    expect(forbidden({ ...files, [path]: login('https://h/mcp') })).toBe(
      'Codex is logged in to it with OAuth, and only at its own address',
    );
    expect(forbidden({ ...files, [path]: login('https://other/mcp') })).toBeUndefined();
    expect(forbidden({ ...files, [path]: '{' })).toBe('whether Codex is logged in to it cannot be read');
  });

  it('is named: servers of the machine, plugins, files of a project that nobody trusts', () => {
    const files = {
      '/etc/codex/config.toml': '[mcp_servers.m]\ncommand = "x"',
      '/h/.codex/config.toml': '[plugins."p@q"]\nenabled = true\n[plugins."off@q"]\nenabled = false\n',
      [project]: '[mcp_servers.a]\ncommand = "x"',
    };
    expect(codex.unroutable(machine(files)).map(({ name }) => name)).toEqual(['m', 'p@q', project]);
    const trusted = '[projects."/w/repo/sub"]\ntrust_level = "trusted"\n';
    expect(
      codex.unroutable(machine({ '/h/.codex/config.toml': trusted, [project]: files[project] })),
    ).toEqual([]);
  });
});
