import type { ClientName, Where } from '../client.js';
import { managedFolder } from '../claude/files.js';
import { pathsOf } from '../place/paths.js';

/** A way to start a client without what its files say of servers. */
export interface Bypass {
  readonly client: ClientName;
  /** A flag, a variable, or a setting. */
  readonly way: string;
  /** A sentence without its end. */
  readonly effect: string;
  /** A setting that is in force. A flag is seen only by who starts the client. */
  readonly set: boolean;
}

type Known = Readonly<Partial<Record<ClientName, readonly (readonly [string, string])[]>>>;

const NONE = 'it starts no server of its files';
const FURTHER = 'it may start further servers, of the command line';
const ELSEWHERE = 'the session runs elsewhere';
const FOLDER = 'it reads the files of another folder';

/** Those of Claude Code 2.1.329 and Codex CLI 0.169.0 as they were seen to work or say of themselves. */
const KNOWN: Known = {
  claude: [
    ['--bare', NONE],
    ['--safe-mode', NONE],
    ['--restricted', NONE],
    ['--strict-mcp-config', 'it starts only the servers of `--mcp-config`'],
    ['--setting-sources', 'it leaves out the servers of the sources that are not named'],
    ...['--mcp-config', '--plugin-dir', '--plugin-url', '--agents'].map((way) => [way, FURTHER] as const),
    ...['--cloud', '--environment'].map((way) => [way, ELSEWHERE] as const),
    ['CLAUDE_CONFIG_DIR', FOLDER],
  ],
  codex: [
    ['--ignore-user-config', 'it does not read the file of the user'],
    ['-c mcp_servers…', 'it takes servers, or other arguments of routed ones, from the command line'],
    ['--remote', ELSEWHERE],
    ['CODEX_HOME', FOLDER],
  ],
  vscode: [
    ['--profile', 'it reads the servers of another profile'],
    ['--user-data-dir', FOLDER],
  ],
  cursor: [['--user-data-dir', FOLDER]],
};

/** The settings that would take servers of a client past us; those that do so already come first. */
export function bypassesOf(client: ClientName, where: Where): readonly Bypass[] {
  const flags = (KNOWN[client] ?? []).map(([way, effect]) => ({ client, way, effect, set: false }));
  return [...(client === 'claude' ? claudeSettings(where) : []), ...flags];
}

/** Settings of an administrator that leave the servers of users out. */
function claudeSettings(where: Where): readonly Bypass[] {
  const path = pathsOf(where).join(managedFolder(where), 'managed-settings.json');
  const isOnly = isTrueAt(where, path, 'allowManagedMcpServersOnly');
  if (isOnly === undefined) {
    const effect = 'it could not be read, and may have only its own servers started';
    return [{ client: 'claude', way: path, effect, set: true }];
  }
  if (!isOnly) return [];
  const way = `allowManagedMcpServersOnly in ${path}`;
  return [{ client: 'claude', way, effect: 'only the servers that this file allows are started', set: true }];
}

/** Undefined where the file is there and cannot be read. */
function isTrueAt(where: Where, path: string, key: string): boolean | undefined {
  try {
    const settings: unknown = JSON.parse(where.readText(path) ?? '{}');
    return (Object(settings) as Record<string, unknown>)[key] === true;
  } catch {
    return undefined;
  }
}
