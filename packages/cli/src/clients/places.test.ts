import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlace, type Place } from '../../testing/place.js';
import { claude } from './claude/client.js';
import { claudeDesktop } from './claude-desktop/client.js';
import type { Client, ClientFile, Where } from './client.js';
import { cursor } from './cursor/client.js';
import { gemini } from './gemini/client.js';
import { planEntries } from './file/plan.js';
import { vscode } from './vscode/client.js';

let place: Place;
beforeEach(() => {
  place = createPlace('places');
});
afterEach(() => {
  place.remove();
});

const bare = (platform: NodeJS.Platform, userHome: string, env: Where['env'] = {}): Where => ({
  userHome,
  project: platform === 'win32' ? 'C:\\p' : '/p',
  platform,
  env,
  readText: () => undefined,
  list: () => [],
});

const paths = (client: Client, where: Where): readonly string[] =>
  client.files(where).map(({ path }) => path);

describe('the files of a client', () => {
  it('stand where each system has them', () => {
    const linux = bare('linux', '/home/ann');
    const mac = bare('darwin', '/Users/ann');
    const windows = bare('win32', 'C:\\Users\\ann');
    expect(paths(claude, linux)).toEqual(['/home/ann/.claude.json', '/p/.mcp.json']);
    expect(paths(cursor, linux)).toEqual(['/home/ann/.cursor/mcp.json', '/p/.cursor/mcp.json']);
    expect(paths(gemini, linux)).toEqual(['/home/ann/.gemini/settings.json', '/p/.gemini/settings.json']);
    expect(paths(vscode, mac)).toEqual([
      '/Users/ann/Library/Application Support/Code/User/mcp.json',
      '/Users/ann/Library/Application Support/Code - Insiders/User/mcp.json',
      '/Users/ann/Library/Application Support/VSCodium/User/mcp.json',
      '/Users/ann/.vscode-server/data/User/mcp.json',
      '/p/.vscode/mcp.json',
    ]);
    expect(paths(claudeDesktop, mac)).toEqual([
      '/Users/ann/Library/Application Support/Claude/claude_desktop_config.json',
    ]);
    expect(paths(claudeDesktop, linux)).toEqual(['/home/ann/.config/Claude/claude_desktop_config.json']);
    expect(paths(claude, windows)).toEqual(['C:\\Users\\ann\\.claude.json', 'C:\\p\\.mcp.json']);
    expect(paths(vscode, windows)[0]).toBe('C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\mcp.json');
  });

  it('go by the variables that the client goes by', () => {
    expect(paths(claude, bare('linux', '/h', { CLAUDE_CONFIG_DIR: '/c' }))[0]).toBe('/c/.claude.json');
    expect(paths(claude, bare('linux', '/h', { CLAUDE_CONFIG_DIR: '' }))[0]).toBe('/h/.claude.json');
    expect(paths(vscode, bare('linux', '/h', { XDG_CONFIG_HOME: '/x' }))[0]).toBe('/x/Code/User/mcp.json');
    expect(paths(gemini, bare('linux', '/h', { GEMINI_CLI_HOME: '/g' }))[0]).toBe('/g/.gemini/settings.json');
  });

  it('are those of packaged builds of Windows as well', () => {
    const where: Where = {
      ...bare('win32', 'C:\\Users\\ann', { APPDATA: 'D:\\Roaming', LOCALAPPDATA: 'D:\\Local' }),
      list: (path) => (path === 'D:\\Local\\Packages' ? ['Claude_pzs8sxrjxfjjc', 'Other_x'] : []),
    };
    expect(paths(claudeDesktop, where)).toEqual([
      'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'D:\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
    ]);
  });

  it('are one for each profile of VS Code', () => {
    place.write('user/.config/Code/User/profiles/-5f3/mcp.json', '{}');
    expect(vscode.files(place.where)).toContainEqual({
      path: `${place.where.userHome}/.config/Code/User/profiles/-5f3/mcp.json`,
      scope: 'profile',
    });
  });
});

describe('on Windows', () => {
  it.each([
    ['npx', false],
    ['C:\\tools\\npx.cmd', false],
    ['.\\server', false],
    ['C:\\Program Files\\nodejs\\node.exe', true],
    ['cmd', true],
    ['node', true],
  ])('the command %s can be started without a shell: %s', (command, isRouted) => {
    const file: ClientFile = { path: 'C:\\x.json', scope: 'user' };
    const reading = claudeDesktop.read(file, JSON.stringify({ mcpServers: { a: { command } } }));
    const planned = planEntries(reading, {
      client: claudeDesktop,
      where: bare('win32', 'C:\\Users\\ann'),
      how: { node: 'C:\\node.exe', program: 'C:\\sub\\bin\\sub.mjs', home: 'C:\\h', pass: () => [] },
      selection: { scopes: new Set(['user']), servers: [] },
      forbids: () => undefined,
    });
    expect(planned[0]?.becomes).toBe(isRouted ? 'routed' : 'left');
  });
});

describe('servers that no file of ours names', () => {
  it('are told of: extensions of Gemini CLI and Claude Desktop, older places of VS Code', () => {
    place.write(
      'user/.gemini/extensions/flow/gemini-extension.json',
      '{"mcpServers": {"nano": {"command": "x"}}}',
    );
    place.write('user/.config/Claude/Claude Extensions/ant.dir.files/manifest.json', '{}');
    place.write(
      'user/.config/Code/User/settings.json',
      '{// old\n"mcp": {"servers": {"old": {"command": "x"}}},}',
    );
    expect(gemini.unroutable(place.where).map(({ name }) => name)).toEqual(['nano']);
    expect(claudeDesktop.unroutable(place.where).map(({ name }) => name)).toEqual(['ant.dir.files']);
    expect(vscode.unroutable(place.where).map(({ name }) => name)).toEqual(['old']);
  });

  it('may stand in a file that cannot be read, which is then told of', () => {
    place.write('user/.config/Code/User/settings.json', '{');
    expect(vscode.unroutable(place.where)).toEqual([
      {
        name: `${place.where.userHome}/.config/Code/User/settings.json`,
        reason: 'it cannot be read, and may name servers (line 1, column 2: `}` is missing)',
      },
    ]);
  });
});
