import { NO_KEYS, unitedKeys, type NamedKeys } from '@subluminal/readings/facts';
import type { PatternPool } from '../pattern/pool.js';
import type { PlainToolKeys } from '../snapshot/plain.js';

/** Gives the keys of a tool that hold files, or commands, besides the usual ones. */
export type KeysOf = (server: string, tool: string) => NamedKeys;

/** The keys that a policy names, tool by tool. */
export function toolKeys(tools: readonly PlainToolKeys[], pool: PatternPool): KeysOf {
  const compiled = tools.map(({ server_name, tool_name, paths = [], commands = [] }) => {
    const [server, name] = [server_name, tool_name].map((names) => names && pool.names(names).test);
    return { server, name, keys: { paths, commands } };
  });
  return (server, tool) => {
    const fitting = compiled.filter((one) => one.server?.(server) !== false && one.name?.(tool) !== false);
    return fitting.length === 0 ? NO_KEYS : unitedKeys(fitting.map(({ keys }) => keys));
  };
}

/** The keys that any of some policies names for a tool. */
export function keysOfAll(
  policies: readonly { readonly keysOf: KeysOf }[],
  server: string,
  tool: string,
): NamedKeys {
  return unitedKeys(policies.map(({ keysOf }) => keysOf(server, tool)));
}
