import { canonicalize, sha256Hex } from '@subluminal/core-types';
import { NO_KEYS, unitedKeys, type NamedKeys, type NamedPrograms } from '@subluminal/readings/facts';
import type { PatternPool } from '../pattern/pool.js';
import type { PlainPolicy } from '../snapshot/plain.js';

type PlainReading = Pick<PlainPolicy, 'tools' | 'programs'>;

/** Gives the keys of a tool that hold files, or commands, besides the usual ones. */
export type KeysOf = (server: string, tool: string) => NamedKeys;

/** The keys that a policy names, tool by tool. */
export function toolKeys({ tools = [], programs }: PlainReading, pool: PatternPool): KeysOf {
  const table = programs === undefined ? NO_KEYS : { ...NO_KEYS, programs: tableOf(programs) };
  const compiled = tools.map(({ server_name, tool_name, paths = [], commands = [] }) => {
    const [server, name] = [server_name, tool_name].map((names) => names && pool.names(names).test);
    return { server, name, keys: { paths, commands } };
  });
  return (server, tool) => {
    const fitting = compiled.filter((one) => one.server?.(server) !== false && one.name?.(tool) !== false);
    return fitting.length === 0 ? table : unitedKeys([table, ...fitting.map(({ keys }) => keys)]);
  };
}

function tableOf(programs: NonNullable<PlainReading['programs']>): NamedPrograms {
  const effects = new Map(Object.entries(programs).map(([name, one]) => [name, [one]]));
  return { id: sha256Hex(canonicalize(programs)), effects };
}

/** The keys that any of some policies names for a tool. */
export function keysOfAll(
  policies: readonly { readonly keysOf: KeysOf }[],
  server: string,
  tool: string,
): NamedKeys {
  return unitedKeys(policies.map(({ keysOf }) => keysOf(server, tool)));
}
