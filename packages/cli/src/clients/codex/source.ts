import { readDocument } from '../toml/document.js';
import { editToml } from '../toml/edit.js';
import { placesOf, samePath, startsWith, type Place } from '../toml/places.js';
import { keyText, quoted } from '../toml/strings.js';
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

/** The text with the values of variables and headers masked: these are what secrets stand in, whatever their names. */
export function maskedCodex(text: string): string {
  const secret = placesOf(readDocument(text).sections).filter(
    ({ path: [servers, , key], path, pair }) =>
      servers === SERVERS &&
      (key === 'env' || key === 'http_headers') &&
      path.length === 4 &&
      pair.value.kind === 'string' &&
      pair.value.text !== '' &&
      !samePath(path.slice(3), ['Subluminal-Upstream']),
  );
  return editToml(
    text,
    secret.map(({ path }) => ({ path, source: quoted('[REDACTED]') })),
  );
}
