import { unitedPrograms, type NamedPrograms } from './effects/named.js';
import { isCommandKey, isFileKey } from './paths/keys.js';

/**
 * Keys of a tool's arguments that a policy names besides the usual ones. Each is a key at the top, or a path
 * of keys joined by dots; a list is passed through.
 */
export interface NamedKeys {
  readonly paths: readonly string[];
  readonly commands: readonly string[];
  /** The effects of programs that it names besides the known ones. */
  readonly programs?: NamedPrograms;
}

/** The keys as readings keep them: of the programs the name of their table. */
export interface KeptKeys extends Omit<NamedKeys, 'programs'> {
  readonly programs?: string;
}

/** A policy that names none. */
export const NO_KEYS: NamedKeys = Object.freeze({
  paths: Object.freeze<string[]>([]),
  commands: Object.freeze<string[]>([]),
});

/** Whether a key is read anyway, by servers of that name: a glob with a star may be any server. */
export function isUsualKey(kind: 'paths' | 'commands', server: string, key: string): boolean {
  const last = key.slice(key.lastIndexOf('.') + 1);
  if (kind === 'commands') return isCommandKey('', last);
  return /^[\w-]+$/.test(server) && isFileKey(server, last);
}

/** No policy can name a longer one. */
const MAX_PATH = 256;

/** The place of the arguments themselves; undefined where nothing below is named. */
export function topOf({ paths, commands }: NamedKeys): string | undefined {
  return paths.length + commands.length === 0 ? undefined : '';
}

/** The place of a value under a key. */
export function placeBelow(at: string | undefined, key: string): string | undefined {
  if (at === undefined || at.length + key.length > MAX_PATH) return undefined;
  return at === '' ? key : `${at}.${key}`;
}

/** The keys that any of these name. */
export function unitedKeys(all: readonly NamedKeys[]): NamedKeys {
  const [first = NO_KEYS, ...others] = all;
  if (others.every((one) => one === NO_KEYS)) return first;
  return {
    paths: [...new Set(all.flatMap(({ paths }) => paths))],
    commands: [...new Set(all.flatMap(({ commands }) => commands))],
    ...unitedPrograms(all.flatMap(({ programs }) => programs ?? [])),
  };
}

/** The same as readings keep them; undefined for none. */
export function keptKeys({ paths, commands, programs }: NamedKeys): KeptKeys | undefined {
  if (programs !== undefined) return { paths, commands, programs: programs.id };
  return paths.length + commands.length === 0 ? undefined : { paths, commands };
}
