import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { SublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { parse, TomlError } from 'smol-toml';

/**
 * The settings of `config.toml` that the command line itself needs. The gateway checks the whole file when it
 * starts.
 */
export interface Settings {
  /** Start the gateway when none runs. */
  readonly autostart: boolean;
  /** Where the ledger's outside memory stands, when it is not at the default place. */
  readonly headsLog: string | undefined;
}

/** The paths that a server sees in its world besides its project, and those that it may write. */
export interface WorldSettings {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/**
 * The world of a server by its name, as `[servers.NAME]` says; undefined where it lives in none. Throws
 * `config_invalid` as `readSettings`.
 */
export function readWorld(home: HomePaths, server: string): WorldSettings | undefined {
  const servers = readTable(home.config)?.['servers'] ?? {};
  const own = isTable(servers) && Object.hasOwn(servers, server) ? servers[server] : {};
  const table = isTable(own) ? own : undefined;
  const { world = false, world_read: read = [], world_write: write = [] } = table ?? { world: undefined };
  const key = `servers.${server}.world`;
  if (typeof world !== 'boolean') throw wrong(home.config, key, '`true` or `false`');
  for (const [name, paths] of [
    ['read', read],
    ['write', write],
  ] as const)
    if (!isPaths(paths)) throw wrong(home.config, `${key}_${name}`, 'a list of whole paths');
  return world ? { read: read as readonly string[], write: write as readonly string[] } : undefined;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPaths(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((path) => typeof path === 'string' && isAbsolute(path));
}

/**
 * Reads those settings. A missing file means the defaults; one that cannot be read, or holds something else
 * where these settings stand, is `config_invalid`: a typing error must not switch anything on or off.
 */
export function readSettings(home: HomePaths): Settings {
  const table = readTable(home.config);
  if (table === undefined) return { autostart: true, headsLog: undefined };
  const { autostart = true, heads_log: headsLog } = table;
  if (typeof autostart !== 'boolean') throw wrong(home.config, 'autostart', '`true` or `false`');
  if (headsLog !== undefined && (typeof headsLog !== 'string' || headsLog === '')) {
    throw wrong(home.config, 'heads_log', 'a path');
  }
  return { autostart, headsLog };
}

/** How much room layers of worlds may take, and from which age on they are told of. */
export interface DiskSettings {
  /** Undefined: as much as the disk has. */
  readonly layersBytes: number | undefined;
  readonly layersDays: number;
}

const MIB = 1_048_576;
/** Those of the contract, which `sub status` must not load. */
const DEFAULT_LAYERS_MB = 10_240;
const DEFAULT_LAYERS_DAYS = 14;

/** Reads `[disk]`, as `readSettings` does. */
export function readDisk(home: HomePaths): DiskSettings {
  const own = readTable(home.config)?.['disk'] ?? {};
  const { layers_mb: mb = DEFAULT_LAYERS_MB, layers_days: days = DEFAULT_LAYERS_DAYS } = isTable(own)
    ? own
    : {};
  if (!isTable(own) || (mb !== 'unlimited' && !isCount(mb)))
    throw wrong(home.config, 'disk.layers_mb', 'a number of MiB or `unlimited`');
  if (!isCount(days)) throw wrong(home.config, 'disk.layers_days', 'a number of days');
  return { layersBytes: mb === 'unlimited' ? undefined : mb * MIB, layersDays: days };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** The text of a file, undefined when there is none; `config_invalid` when it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new SublError('config_invalid', `\`${path}\` cannot be read`, { cause });
  }
}

/** A file of TOML as a plain table, undefined when there is none. Throws `config_invalid`. */
export function readTable(path: string): Readonly<Record<string, unknown>> | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseTable(path, text);
}

/** TOML as a plain table; `config_invalid` with the line of the first mistake. */
export function parseTable(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    throw new SublError('config_invalid', `\`${path}\` line ${cause.line} is not valid toml`, {
      cause,
      help: 'correct the file, or move it away for the defaults',
    });
  }
}

function wrong(path: string, key: string, expected: string): SublError {
  return new SublError('config_invalid', `\`${key}\` in \`${path}\` is not ${expected}`, {
    help: 'correct the file, or move it away for the defaults',
  });
}
