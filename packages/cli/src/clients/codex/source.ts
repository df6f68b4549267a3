import { readDocument } from '../toml/document.js';
import { editToml } from '../toml/edit.js';
import { placesBelow, placesOf, startsWith, type Place } from '../toml/places.js';
import { keyText, quoted } from '../toml/strings.js';
import { UPSTREAM_HEADER } from '../ours.js';
import { SERVERS } from './read.js';

/**
 * An entry as a text of its own: a line `key = value` for each of its pairs, wherever they stand in the file, with the
 * values in their own spelling. Undefined where there is nothing of it. Throws `TextProblem`.
 */
export function sourceOf(text: string, pointer: readonly string[]): string | undefined {
  const { sections } = readDocument(text);
  const places = placesOf(sections);
  const pairs = outermost(places, pointer).map(({ path, pair }) => ({
    path,
    source: text.slice(pair.value.start, pair.value.end),
  }));
  const empty = sections.flatMap(({ header }) => {
    const path = header?.path.map((part) => part.text) ?? [];
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

/** The pairs of an entry; of those inside of one another the outer ones. */
function outermost(places: readonly Place[], pointer: readonly string[]): readonly Place[] {
  const inside = places.filter(({ path }) => path.length > pointer.length && startsWith(path, pointer));
  return inside.filter(
    ({ path }) => !inside.some((other) => other.path.length < path.length && startsWith(path, other.path)),
  );
}

/** Tables of an entry whose values are what secrets stand in, whatever their names. */
const SECRET = ['env', 'http_headers', 'oauth'];

/** The text with the values of variables, headers and logins masked. */
export function maskedCodex(text: string): string {
  const secret = placesBelow(readDocument(text).sections, [SERVERS]).filter(
    ({ path: [, , key = '', name, ...deeper], pair }) =>
      (name === undefined ? key === 'bearer_token' : SECRET.includes(key) && deeper.length === 0) &&
      pair.value.kind === 'string' &&
      pair.value.text !== '' &&
      name !== UPSTREAM_HEADER,
  );
  return editToml(
    text,
    secret.map(({ path }) => ({ path, source: quoted('[REDACTED]') })),
  );
}
