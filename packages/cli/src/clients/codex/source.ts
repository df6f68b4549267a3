import { readDocument } from '../../text/toml/document.js';
import { editToml } from '../../text/toml/edit.js';
import { placesOf, startsWith, type Place } from '../../text/toml/places.js';
import { keyText, quoted } from '../../text/toml/spelling.js';
import { sourceOf } from '../../text/toml/syntax.js';
import { UPSTREAM_HEADER } from '../ours.js';
import { SERVERS } from './read.js';

/**
 * Tells entries as texts of their own: a line `key = value` for each of their pairs, wherever they stand in
 * the file, with the values in their own spelling. Undefined where there is nothing of one. Throws
 * `TextProblem`.
 */
export function sourcesOf(text: string): (pointer: readonly string[]) => string | undefined {
  const { sections } = readDocument(text);
  const places = grouped(placesOf(sections), ({ path }) => path);
  const headers = grouped(
    sections.map(({ path }) => path),
    (path) => path,
  );
  return (pointer) => entryOf(text, pointer, places(pointer), headers(pointer));
}

function entryOf(
  text: string,
  pointer: readonly string[],
  places: readonly Place[],
  headers: readonly (readonly string[])[],
): string | undefined {
  const pairs = outermost(places, pointer).map(({ path, pair }) => ({
    path,
    source: sourceOf(text, pair.value),
  }));
  const empty = headers.flatMap((path) => {
    const isEmpty = !places.some((place) => startsWith(place.path, path));
    return isEmpty && path.length > pointer.length && startsWith(path, pointer)
      ? [{ path, source: '{}' }]
      : [];
  });
  const lines = [...pairs, ...empty].map(({ path, source }) => {
    const key = path.slice(pointer.length).map((name) => keyText(name));
    return `${key.join('.')} = ${source}\n`;
  });
  return lines.length === 0 ? undefined : lines.join('');
}

/**
 * Everything deeper than a server's pointer, by that pointer. A file of many servers is gone through once.
 */
function grouped<T>(
  all: readonly T[],
  pathOf: (one: T) => readonly string[],
): (pointer: readonly string[]) => readonly T[] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(pathOf(one));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return (pointer) => groups.get(keyOf(pointer)) ?? [];
}

function keyOf([table = '', name = '']: readonly string[]): string {
  return JSON.stringify([table, name]);
}

/** The pairs of an entry; of those inside of one another the outer ones. */
function outermost(places: readonly Place[], pointer: readonly string[]): readonly Place[] {
  const inside = places.filter(({ path }) => path.length > pointer.length && startsWith(path, pointer));
  return inside.filter(
    ({ path }) => !inside.some((other) => other.path.length < path.length && startsWith(path, other.path)),
  );
}

/** Tables of an entry whose values may be secrets, whatever their names. */
const SECRET = ['env', 'http_headers', 'oauth'];

/** The text with the values of variables, headers and logins masked. */
export function maskedCodex(text: string): string {
  const secret = placesOf(readDocument(text).sections).filter(
    ({ path: [table, , key = '', name, ...deeper], pair: { value } }) =>
      table === SERVERS &&
      (name === undefined ? key === 'bearer_token' : SECRET.includes(key) && deeper.length === 0) &&
      value.type === 'TOMLValue' &&
      value.kind === 'string' &&
      value.value !== '' &&
      name !== UPSTREAM_HEADER,
  );
  return editToml(
    text,
    secret.map(({ path }) => ({ path, source: quoted('[REDACTED]') })),
  );
}
