import type { ClientName, Where } from './client.js';
import { managedFolder } from './claude/files.js';
import { pathsOf } from './paths.js';

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

const KNOWN: Known = {
  claude: [
    ['--bare', 'it leaves out what its files say'],
    ['--strict-mcp-config', 'it starts only the servers of `--mcp-config`'],
    ['--mcp-config', 'it starts further servers, of the command line'],
    ['--setting-sources', 'it reads only some of its files'],
    ['CLAUDE_CONFIG_DIR', 'it reads the files of another folder'],
  ],
  codex: [
    ['--ignore-user-config', 'it does not read the file of the user'],
    ['-c mcp_servers…', 'it takes servers, or other arguments of routed ones, from the command line'],
    ['CODEX_HOME', 'it reads the files of another folder'],
  ],
  vscode: [
    ['--profile', 'it reads the servers of another profile'],
    ['--user-data-dir', 'it reads the files of another folder'],
  ],
  cursor: [['--user-data-dir', 'it reads the files of another folder']],
};

/** What would take the servers of a client, or some of them, past us; first what does so already. */
export function bypassesOf(client: ClientName, where: Where): readonly Bypass[] {
  const flags = (KNOWN[client] ?? []).map(([way, effect]) => ({ client, way, effect, set: false }));
  return [...(client === 'claude' ? claudeSettings(where) : []), ...flags];
}

/** Settings of an administrator that leave the servers of users out. A file that cannot be read is told elsewhere. */
function claudeSettings(where: Where): readonly Bypass[] {
  const path = pathsOf(where).join(managedFolder(where), 'managed-settings.json');
  if (!isTrueAt(where, path, 'allowManagedMcpServersOnly')) return [];
  const way = `allowManagedMcpServersOnly in ${path}`;
  return [{ client: 'claude', way, effect: 'only the servers that this file allows are started', set: true }];
}

function isTrueAt(where: Where, path: string, key: string): boolean {
  try {
    const settings: unknown = JSON.parse(where.readText(path) ?? '{}');
    return (Object(settings) as Record<string, unknown>)[key] === true;
  } catch {
    return false;
  }
}
