import type { Where } from '../client.js';
import { pathsOf, variable } from '../place/paths.js';
import { readDocument } from '../../text/toml/document.js';
import { SERVERS } from './read.js';

/** A file of Codex that belongs to the machine and not to its user. */
export interface SystemFile {
  readonly path: string;
  /** The servers that it names; undefined where it says nothing of servers. */
  readonly servers: readonly string[] | undefined;
  /** It is there, and cannot be read. */
  readonly broken: boolean;
}

/** The machine's settings, those that nobody overrides, and what the machine requires of everybody's. */
export function systemFiles(
  where: Where,
): Readonly<Record<'config' | 'managed' | 'requirements', SystemFile>> {
  const { join } = pathsOf(where);
  const data = variable(where, 'ProgramData') ?? 'C:\\ProgramData';
  const folder = where.platform === 'win32' ? join(data, 'OpenAI', 'Codex') : '/etc/codex';
  return {
    config: read(where, join(folder, 'config.toml')),
    managed: read(where, join(folder, 'managed_config.toml')),
    requirements: read(where, join(folder, 'requirements.toml')),
  };
}

function read(where: Where, path: string): SystemFile {
  try {
    const servers = readDocument(where.readText(path) ?? '').meaning.get(SERVERS);
    if (servers === undefined) return { path, servers: undefined, broken: false };
    return { path, servers: servers instanceof Map ? [...servers.keys()] : [], broken: false };
  } catch {
    return { path, servers: undefined, broken: true };
  }
}
