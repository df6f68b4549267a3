import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlace, type Place } from '../../../testing/place.js';
import type { ClientFile, Where } from '../client.js';
import { claude } from './client.js';
import { matchesUrl } from './match-url.js';

const SERVERS = {
  a: { command: 'npx', args: ['-y', 'a'] },
  h: { type: 'http', url: 'https://api.example.com/mcp' },
};

let place: Place;
let project: string;
beforeEach(() => {
  place = createPlace('lists');
  project = `${place.root}/p`;
});
afterEach(() => {
  place.remove();
});

/** Why each server of the user, and one of project `p`, is not routed. */
function reasons(where: Where = place.where): Record<string, string | undefined> {
  const file: ClientFile = { path: `${place.root}/user/.claude.json`, scope: 'user' };
  const text = JSON.stringify({
    mcpServers: SERVERS,
    projects: { [project]: { mcpServers: { l: SERVERS.a } } },
  });
  const reading = claude.read(file, text);
  const forbids = claude.forbids(where, [reading]);
  return Object.fromEntries(
    reading.entries.map((entry) => [entry.name, forbids(entry)?.replaceAll(place.root, '')]),
  );
}

describe('what the settings of Claude Code deny', () => {
  it('is nothing where there are none', () => {
    expect(reasons()).toEqual({ a: undefined, h: undefined, l: undefined });
  });

  it('by an exact command is not routed, since behind another command it would run', () => {
    place.write(
      'user/.claude/settings.json',
      '{"deniedMcpServers": [{"serverCommand": ["npx", "-y", "a"]}]}',
    );
    const why =
      '`deniedMcpServers` in `/user/.claude/settings.json` denies it, and would not under another command';
    expect(reasons()).toEqual({ a: why, h: undefined, l: why });
  });

  it.each([[['npx', '-y']], [['npx', '-y', 'a', 'b']], [['npx', '-y', 'A']]])(
    'by another command (%j) is about other servers',
    (command) => {
      place.write(
        'user/.claude/settings.json',
        JSON.stringify({ deniedMcpServers: [{ serverCommand: command }] }),
      );
      expect(reasons()).toEqual({ a: undefined, h: undefined, l: undefined });
    },
  );

  it('by an address is not routed', () => {
    place.write(
      'user/.claude/settings.json',
      '{"deniedMcpServers": [{"serverUrl": "https://*.example.com/*"}]}',
    );
    expect(reasons()).toMatchObject({ a: undefined, h: expect.stringContaining('denies it') });
  });

  it('in a project counts for its own servers, and for those of the user, which run there too', () => {
    place.write(
      'p/.claude/settings.local.json',
      '{"deniedMcpServers": [{"serverCommand": ["npx", "-y", "a"]}]}',
    );
    expect(reasons()).toMatchObject({
      a: expect.stringContaining('/p/.claude/settings.local.json'),
      l: expect.stringContaining('/p/.claude/settings.local.json'),
    });
    place.write('project/.claude/settings.json', '{"deniedMcpServers": [{"serverName": "h"}]}');
    expect(reasons()).toMatchObject({ h: expect.stringContaining('/project/.claude/settings.json') });
  });

  it('is not known where settings cannot be read, so that nothing is routed', () => {
    place.write('user/.claude/settings.json', '{"deniedMcpServers": [}');
    expect(reasons()).toMatchObject({
      a: expect.stringContaining('cannot be read, and may deny it'),
      h: expect.stringContaining('line 1, column 23'),
    });
    place.write('user/.claude/settings.json', '{"deniedMcpServers": [{"serverGlob": "x"}]}');
    expect(reasons()).toMatchObject({ a: expect.stringContaining('in a form that is not known') });
    place.write('user/.claude/settings.json', '{"allowedMcpServers": "all"}');
    expect(reasons()).toMatchObject({ a: expect.stringContaining('in a form that is not known') });
  });

  it('of a command with variables is not known, so that it is not routed', () => {
    place.write('user/.claude/settings.json', '{"deniedMcpServers": [{"serverCommand": ["other"]}]}');
    const file: ClientFile = { path: '/f', scope: 'user' };
    const reading = claude.read(file, '{"mcpServers": {"v": {"command": "${CMD}"}, "w": {"command": "w"}}}');
    const forbids = claude.forbids(place.where, [reading]);
    expect(reading.entries.map((entry) => forbids(entry) !== undefined)).toEqual([true, false]);
  });
});

describe('what the settings of Claude Code allow', () => {
  it('by exact commands is not routed, since another command would be refused', () => {
    place.write(
      'user/.claude/settings.json',
      '{"allowedMcpServers": [{"serverCommand": ["npx", "-y", "a"]}, {"serverName": "h"}]}',
    );
    expect(reasons()).toMatchObject({ a: expect.stringContaining('allows exact commands'), h: undefined });
  });

  it('by addresses is not routed', () => {
    place.write(
      'user/.claude/settings.json',
      '{"allowedMcpServers": [{"serverUrl": "https://*"}, {"serverName": "a"}]}',
    );
    expect(reasons()).toMatchObject({ a: undefined, h: expect.stringContaining('allows exact addresses') });
  });

  it('by names is routed where it is named', () => {
    place.write('user/.claude/settings.json', '{"allowedMcpServers": [{"serverName": "a"}]}');
    expect(reasons()).toMatchObject({ a: undefined, h: expect.stringContaining('does not allow it') });
    place.write('user/.claude/settings.json', '{"allowedMcpServers": []}');
    expect(reasons()).toMatchObject({ a: expect.stringContaining('does not allow it') });
  });
});

describe('a login of Claude Code', () => {
  it('is for the address that it was made for, so that its server is left alone', () => {
    const login = { serverName: 'h', serverUrl: 'https://api.example.com/mcp', accessToken: 'x' };
    place.write('user/.claude/.credentials.json', JSON.stringify({ mcpOAuth: { 'h|0a1b': login } }));
    expect(reasons()).toMatchObject({
      a: undefined,
      h: expect.stringContaining('signed in to it with oauth'),
    });
  });
});

describe('what an administrator says', () => {
  const managed = (files: Readonly<Record<string, string>>): Where => ({
    ...place.where,
    readText: (path) => files[path] ?? place.where.readText(path),
    list: (path) =>
      path === '/etc/claude-code/managed-settings.d' ? ['10-mcp.json', 'x.txt'] : place.where.list(path),
  });

  it('in managed-mcp.json leaves every other file without an effect', () => {
    const where = managed({
      '/etc/claude-code/managed-mcp.json': '{"mcpServers": {"corp": {"command": "x"}}}',
    });
    expect(reasons(where)['a']).toContain('the client then starts no server of other files');
    expect(claude.unroutable(where)).toEqual([
      { name: 'corp', reason: "`/etc/claude-code/managed-mcp.json` is an administrator's" },
    ]);
  });

  it('in a broken managed-mcp.json is not known, so that nothing is routed', () => {
    expect(reasons(managed({ '/etc/claude-code/managed-mcp.json': '{' }))['a']).toContain('managed-mcp.json');
  });

  it.each(['managed-settings.json', 'managed-settings.d/10-mcp.json'])(
    'in %s denies as other settings do',
    (name) => {
      const where = managed({ [`/etc/claude-code/${name}`]: '{"deniedMcpServers": [{"serverName": "a"}]}' });
      expect(reasons(where)).toMatchObject({ a: expect.stringContaining(name), h: undefined });
    },
  );
});

describe('plugins', () => {
  it('have servers that are named, with the file that has them', () => {
    const path = `${place.root}/plugins/p/1.0.0`;
    place.write(
      'user/.claude/plugins/installed_plugins.json',
      JSON.stringify({ version: 2, plugins: { 'p@market': [{ scope: 'user', installPath: path }] } }),
    );
    place.write('plugins/p/1.0.0/.mcp.json', '{"mcpServers": {"s": {"command": "${CLAUDE_PLUGIN_ROOT}/s"}}}');
    place.write(
      'plugins/p/1.0.0/.claude-plugin/plugin.json',
      '{"name": "p", "mcpServers": {"t": {"command": "t"}}}',
    );
    expect(claude.unroutable(place.where).map(({ name }) => name)).toEqual(['plugin:p:s', 'plugin:p:t']);
  });
});

describe('matchesUrl', () => {
  it.each([
    ['https://*.example.com/*', 'https://api.example.com/mcp', true],
    ['https://*.example.com/*', 'https://example.com/mcp', false],
    ['https://a/*/c', 'https://a/b/c', true],
    ['https://a/*/c', 'https://a/c', false],
    ['HTTPS://A/mcp', 'https://a/mcp', true],
    ['https://a/mcp', 'https://a/mcp2', false],
    ['a*a', 'a', false],
    ['*', 'anything', true],
  ])('%s and %s: %s', (pattern, url, fits) => {
    expect(matchesUrl(pattern, url)).toBe(fits);
  });
});
