import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A home of a user: its files by their paths, and what `sub init` makes of it. */
export interface UserHome {
  readonly name: string;
  /** Texts; a path that begins with `->` is a link to it. */
  readonly files: Readonly<Record<string, string>>;
  /** Files that are made read-only. */
  readonly readOnly?: readonly string[];
  readonly env?: (home: string) => Readonly<Record<string, string>>;
  /** The names of the servers that are routed, by client. */
  readonly routed: Readonly<Record<string, readonly string[]>>;
  /** The clients whose hooks are installed. */
  readonly hooked: readonly string[];
  /** The problems, in order. */
  readonly problems?: readonly RegExp[];
  /** Words of the plan. */
  readonly says?: readonly RegExp[];
}

const stdio = (command = 'x'): object => ({
  type: 'stdio',
  command,
  args: ['-y', 'some-server'],
  env: { KEY: 'secret' },
});
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const claude = (servers: object, more: object = {}): string =>
  json({ numStartups: 7, ...more, mcpServers: servers });
/** As another guard writes them. */
const OTHERS = {
  hooks: {
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'other-guard check' }] }],
    Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }],
  },
};
const CODEX = `# mine\nmodel = "gpt"   # keep\n\n[mcp_servers.files]\ncommand = "x"\nargs = [ "-y", "a" ]   # two\n\n[mcp_servers.files.env]\nKEY = 'v'\n`;
const JSONC = '{ // mine\n  "servers": {\n    "a": {"type": "stdio", "command": "x", },\n  },\n}\n';

export const HOMES: readonly UserHome[] = [
  {
    name: 'no client',
    files: { '.bashrc': '' },
    routed: {},
    hooked: [],
    says: [/no client was found: Claude Code, Codex, Cursor/],
  },
  {
    name: 'Claude Code with servers of the user and of a project',
    files: {
      '.claude.json': claude(
        { a: stdio(), b: stdio('y') },
        { projects: { '/p': { mcpServers: { local: stdio() }, history: [] } } },
      ),
      '.claude/settings.json': json({ model: 'opus' }),
    },
    routed: { claude: ['a', 'b', 'local'] },
    hooked: ['claude'],
    says: [/would pass the gateway: a, b, local/],
  },
  {
    name: 'Claude Code that was never started',
    files: { '.claude/CLAUDE.md': '# mine\n' },
    routed: {},
    hooked: ['claude'],
    says: [/servers +none in its files/],
  },
  {
    name: 'servers of Claude Code, which has no folder yet',
    files: { '.claude.json': claude({ a: stdio() }) },
    routed: { claude: ['a'] },
    hooked: [],
    says: [/own tools +its folder is not there yet: start it once/],
  },
  {
    name: 'a .claude.json with a mistake',
    files: { '.claude.json': '{"mcpServers": {"a": {"command": "x"},}}' },
    routed: {},
    hooked: [],
    problems: [/\.claude\.json` cannot be read: .*line 1/],
    says: [/broken .*it is not touched/],
  },
  {
    name: 'settings of Claude Code with a mistake',
    files: { '.claude.json': claude({}), '.claude/settings.json': '{"hooks": {' },
    routed: {},
    hooked: [],
    problems: [/settings\.json` cannot be changed/],
    says: [/own tools +cannot be asked for/],
  },
  {
    name: 'settings of Claude Code that nobody can read, so that a server may be denied there',
    files: { '.claude.json': claude({ a: stdio() }), '.claude/settings.json': '{' },
    routed: {},
    hooked: [],
    problems: [/settings\.json` cannot be changed/],
    says: [/a: .*cannot be read, and may deny it/],
  },
  {
    name: 'hooks of another tool',
    files: { '.claude.json': claude({ a: stdio() }), '.claude/settings.json': json(OTHERS) },
    routed: { claude: ['a'] },
    hooked: ['claude'],
    says: [/hooks of others: PreToolUse, Stop/],
  },
  {
    name: 'hooks that are switched off',
    files: { '.claude/settings.json': json({ disableAllHooks: true }) },
    routed: {},
    hooked: ['claude'],
    says: [/mind +.*disableAllHooks/],
  },
  {
    name: 'a list of denied servers',
    files: {
      '.claude.json': claude({ a: stdio(), b: stdio('y') }),
      '.claude/settings.json': json({ deniedMcpServers: [{ serverName: 'a' }] }),
    },
    routed: { claude: ['b'] },
    hooked: ['claude'],
    says: [/stays +a: `deniedMcpServers`/],
  },
  {
    name: 'a server with a login, one of 2024, and a plugin',
    files: {
      '.claude.json': claude({
        linear: { type: 'http', url: 'https://linear.example/mcp' },
        old: { type: 'sse', url: 'https://h.example/sse' },
        a: stdio(),
      }),
      '.claude/.credentials.json': json({ mcpOAuth: { 'linear|1': { serverName: 'linear' } } }),
      '.claude/plugins/installed_plugins.json': json({ plugins: { 'tool@m': { installPath: '/nowhere' } } }),
    },
    routed: { claude: ['a'] },
    hooked: ['claude'],
    says: [/stays +linear: .*oauth/, /stays +old: .*2024/],
  },
  {
    name: 'another folder for Claude Code',
    files: { 'conf/.claude.json': claude({ a: stdio() }), 'conf/settings.json': '{}' },
    env: (home) => ({ CLAUDE_CONFIG_DIR: join(home, 'conf') }),
    routed: { claude: ['a'] },
    hooked: ['claude'],
  },
  {
    name: 'Codex with comments',
    files: { '.codex/config.toml': CODEX },
    routed: { codex: ['files'] },
    hooked: ['codex'],
  },
  {
    name: 'a config.toml of Codex with a mistake',
    files: { '.codex/config.toml': '[mcp_servers.a\ncommand = "x"\n' },
    routed: {},
    hooked: [],
    problems: [/config\.toml` cannot be read: .*line 1/, /config\.toml/],
  },
  {
    name: 'Codex with hooks that are switched off',
    files: { '.codex/config.toml': `${CODEX}\n[features]\nhooks = false\n` },
    routed: { codex: ['files'] },
    hooked: ['codex'],
    says: [/mind +.*switches every hook off/],
  },
  {
    name: 'Codex with windows line ends and inline tables',
    files: { '.codex/config.toml': 'mcp_servers.a = { command = "x", args = [] } # a\r\n' },
    routed: { codex: ['a'] },
    hooked: ['codex'],
  },
  {
    name: 'Cursor, VS Code and Gemini CLI',
    files: {
      '.cursor/mcp.json': '{"mcpServers": {"a": {"command": "x"}}}',
      '.config/Code/User/mcp.json': JSONC,
      '.gemini/settings.json': '{ /* mine */ "mcpServers": {"a": {"command": "x"}} }',
    },
    routed: { cursor: ['a'], vscode: ['a'], gemini: ['a'] },
    hooked: [],
    says: [/own tools +are not seen/],
  },
  {
    name: 'all clients at once',
    files: {
      '.claude.json': claude({ a: stdio() }),
      '.claude/settings.json': json(OTHERS),
      '.codex/config.toml': CODEX,
      '.codex/hooks.json': json({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'x' }] }] } }),
      '.cursor/mcp.json': '\ufeff{"mcpServers": {"a": {"command": "x"}}}',
      '.config/Code/User/mcp.json': JSONC,
      '.gemini/settings.json': '{}',
      '.config/Claude/claude_desktop_config.json': '{"mcpServers":{"a":{"command":"x","args":[]}}}',
    },
    routed: { claude: ['a'], codex: ['files'], cursor: ['a'], vscode: ['a'], 'claude-desktop': ['a'] },
    hooked: ['claude', 'codex'],
  },
  {
    name: 'files of a repository',
    files: {
      '.claude.json': claude({ a: stdio() }),
      '.claude/settings.json': '{}',
      'project/.mcp.json': '{"mcpServers": {"theirs": {"command": "x"}}}',
      'project/.claude/settings.json': json(OTHERS),
    },
    routed: { claude: ['a'] },
    hooked: ['claude'],
    says: [/shared .*other people's.*--scope project/, /mind .*the project brings hooks/],
  },
  {
    name: 'configurations that are links into other folders',
    files: {
      '.claude.json': '->dots/claude.json',
      'dots/claude.json': claude({ a: stdio() }),
      '.claude/settings.json': '->../dots/settings.json',
      'dots/settings.json': json(OTHERS),
      '.codex/config.toml': '->../dots/codex.toml',
      'dots/codex.toml': CODEX,
    },
    routed: { claude: ['a'], codex: ['files'] },
    hooked: ['claude', 'codex'],
  },
  {
    name: 'a file that was made read-only',
    files: { '.claude.json': claude({ a: stdio() }), '.codex/config.toml': CODEX },
    readOnly: ['.claude.json'],
    routed: { codex: ['files'] },
    hooked: ['codex'],
    problems: [/\.claude\.json` cannot be replaced: it is read-only/],
  },
  {
    name: 'empty files',
    files: { '.claude.json': '{}', '.claude/settings.json': '', '.codex/config.toml': '' },
    routed: {},
    hooked: ['claude', 'codex'],
  },
];

/** Writes the files of a home. */
export function lay(home: string, { files, readOnly = [] }: UserHome): void {
  mkdirSync(join(home, 'project'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    if (text.startsWith('->')) symlinkSync(text.slice(2), join(home, path));
    else writeFileSync(join(home, path), text);
  }
  for (const path of readOnly) chmodSync(join(home, path), 0o444);
}

/** Every file below a folder: its kind and mode, and its bytes. */
export function treeOf(folder: string, path = ''): readonly string[] {
  return readdirSync(join(folder, path))
    .toSorted()
    .flatMap((name) => {
      const at = join(path, name);
      const stats = lstatSync(join(folder, at));
      if (stats.isDirectory()) return [`${at}/`, ...treeOf(folder, at)];
      const held = stats.isSymbolicLink()
        ? readlinkSync(join(folder, at))
        : readFileSync(join(folder, at)).toString('latin1');
      return [`${at} ${(stats.mode & 0o7777).toString(8)} ${held}`];
    });
}
