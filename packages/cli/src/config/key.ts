import { ANY_NAME, configKeys, SublError } from '@subluminal/core-types';
import { TomlError } from 'smol-toml';
import { nearest } from '../program/nearest.js';
import { meaningOf, type Meaning } from '../text/toml/meaning.js';
import { keyText } from '../text/toml/spelling.js';

/** A setting's path as people write it: `rate_limits.actions."email.send"`. */
export function keyOf(path: readonly string[]): string {
  return path.map(keyText).join('.');
}

/** The path of a setting that there is. Throws `usage`. */
export function settingPath(text: string): readonly string[] {
  const path = dotted(text);
  const keys = configKeys();
  if (path !== undefined && keys.some((known) => fits(path, known))) return path;
  const table = keys.filter((known) => path?.every((name, at) => known[at] === name) === true);
  const near = nearest(keys.map(keyOf), text);
  const meant = table.length > 0 ? table.slice(0, 5).map(keyOf) : near;
  throw new SublError('usage', `\`${text}\` is no setting`, {
    help:
      meant.length === 0
        ? '`sub config get` lists the settings'
        : `did you mean ${meant.map((key) => `\`${key}\``).join(', ')}?`,
  });
}

/** Whether a table is one of names that people choose, or stands in one. */
export function isOfNames(table: readonly string[]): boolean {
  return configKeys().some((known) => known.includes(ANY_NAME) && fits(table, known.slice(0, -1)));
}

function fits(path: readonly string[], known: readonly string[]): boolean {
  return path.length === known.length && known.every((name, at) => name === ANY_NAME || name === path[at]);
}

/** The names of a dotted key, as TOML reads it. */
function dotted(text: string): readonly string[] | undefined {
  if (text.length > 4096 || /[\n\r=#]/.test(text)) return undefined;
  let at: Meaning | undefined;
  try {
    at = meaningOf(`${text} = 0\n`);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
  const path: string[] = [];
  while (at instanceof Map) {
    const [pair]: readonly (readonly [string, Meaning])[] = [...at];
    if (pair === undefined) return undefined;
    path.push(pair[0]);
    at = pair[1];
  }
  return path;
}
