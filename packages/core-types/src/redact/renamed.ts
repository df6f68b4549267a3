import type { JsonObject, JsonValue } from '../json/value.js';

/**
 * An object under the names that its members are shown by. Names that are shown alike are numbered, so no
 * member is lost.
 */
export function renamed(
  object: JsonObject,
  shownName: (key: string) => string,
  show: (key: string, value: JsonValue) => JsonValue,
): JsonObject {
  const members = Object.entries(object);
  // Of tens of thousands of names seldom one is shown by another.
  if (members.every(([key]) => shownName(key) === key))
    return Object.fromEntries(members.map(([key, value]) => [key, show(key, value)]));
  const entries = new Map<string, JsonValue>();
  const alike = new Map<string, number>();
  for (const [key, value] of members) {
    const name = shownName(key);
    let free = name;
    let count = alike.get(name) ?? 1;
    while (entries.has(free) || (free !== key && Object.hasOwn(object, free))) {
      count += 1;
      free = `${name} ${count}`;
    }
    alike.set(name, count);
    entries.set(free, show(key, value));
  }
  return Object.fromEntries(entries);
}
