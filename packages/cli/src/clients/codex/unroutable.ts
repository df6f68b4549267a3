import type { Unroutable, Where } from '../client.js';
import { pathsOf } from '../place/paths.js';
import { readDocument } from '../../text/toml/document.js';
import { meaningAt, type Table } from '../../text/toml/meaning.js';
import { codexFiles, codexHome, projectFolders } from './files.js';
import { SERVERS } from './read.js';
import { textAt } from './shape.js';
import { systemFiles } from './system.js';

/**
 * The servers that Codex starts and no file of ours names, and the files that it does not read; see
 * `Client.unroutable`.
 */
export function unroutableOf(where: Where): readonly Unroutable[] {
  const path = pathsOf(where).join(codexHome(where), 'config.toml');
  const config = tableOf(where, path);
  // Its own servers are told of where it is read for them; which plugins it has, and whom it trusts, nobody
  // knows then.
  if (config === undefined) return [...machine(where), unreadable(path, 'name plugins, which bring servers')];
  return [...machine(where), ...plugins(config), ...untrusted(where, config)];
}

function machine(where: Where): readonly Unroutable[] {
  const { config, managed, requirements } = systemFiles(where);
  const named = [config, managed].flatMap(({ path, servers, broken }) =>
    broken
      ? [unreadable(path, 'name servers')]
      : (servers ?? []).map((name) => ({ name, reason: `\`${path}\` belongs to the machine` })),
  );
  const required = requirements.broken || requirements.servers !== undefined ? [requirements.path] : [];
  const managedByMac =
    where.platform === 'darwin' &&
    where.list('/Library/Managed Preferences').includes('com.openai.codex.plist')
      ? ['com.openai.codex.plist']
      : [];
  return [
    ...named,
    ...[...required, ...managedByMac].map((name) => ({
      name,
      reason: 'it says for the machine which servers may start, by their exact command or address',
    })),
  ];
}

/** The servers of plugins stand in their own files, which an update replaces. */
function plugins(config: Table): readonly Unroutable[] {
  const table = config.get('plugins');
  if (!(table instanceof Map)) return [];
  return [...table.keys()]
    .filter((name: string) => !off(meaningAt(table, [name, 'enabled'])))
    .map((name: string) => ({ name, reason: 'servers that a plugin brings stand in files of the plugin' }));
}

function off(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'scalar' in value && value.scalar === 'boolean false';
}

/** Files of a project that Codex passes over until somebody trusts the project. */
function untrusted(where: Where, config: Table): readonly Unroutable[] {
  const isTrusted = projectFolders(where).some(
    (folder) => textAt(meaningAt(config, ['projects', folder]), 'trust_level') === 'trusted',
  );
  if (isTrusted) return [];
  return codexFiles(where)
    .filter((file) => file.scope === 'project' && hasServers(tableOf(where, file.path) ?? NOTHING))
    .map(({ path }) => ({
      name: path,
      reason: 'Codex does not read it, since nobody has trusted the project',
    }));
}

const NOTHING: Table = new Map();

function hasServers(table: Table): boolean {
  const servers = table.get(SERVERS);
  return servers instanceof Map && servers.size > 0;
}

/** The meaning of a file. Undefined where it is there and cannot be read. */
function tableOf(where: Where, path: string): Table | undefined {
  try {
    return readDocument(where.readText(path) ?? '').meaning;
  } catch {
    return undefined;
  }
}

function unreadable(name: string, what: string): Unroutable {
  return { name, reason: `it could not be read, and may ${what}` };
}
