import { ExactNumber, isJsonObject, type JsonObject, type JsonValue } from './value.js';

const NOTHING: JsonObject = {};

/** The member at a path of keys; null when any step is not there. Readers ignore what they do not know. */
export function valueAt(value: JsonValue, ...keys: readonly string[]): JsonValue {
  let current = value;
  for (const key of keys) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return null;
    current = current[key] ?? null;
  }
  return current;
}

/** The text at a path; numbers and truth values as people write them, everything else as an empty text. */
export function textAt(value: JsonValue, ...keys: readonly string[]): string {
  const found = valueAt(value, ...keys);
  if (typeof found === 'string') return found;
  if (found instanceof ExactNumber) return found.text;
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}

/** The number at a path, or undefined. */
export function numberAt(value: JsonValue, ...keys: readonly string[]): number | undefined {
  const found = valueAt(value, ...keys);
  return typeof found === 'number' ? found : undefined;
}

/** The process at a path: its number, and when it began; undefined without a number. */
export function processAt(
  value: JsonValue,
  ...keys: readonly string[]
): { readonly pid: number; readonly start: string } | undefined {
  const pid = numberAt(value, ...keys, 'pid');
  return pid === undefined ? undefined : { pid, start: textAt(value, ...keys, 'start') };
}

/** The objects of the list at a path. */
export function listAt(value: JsonValue, ...keys: readonly string[]): readonly JsonObject[] {
  const found = valueAt(value, ...keys);
  if (!Array.isArray(found)) return [];
  const items: readonly JsonValue[] = found;
  return items.filter(isJsonObject);
}

/** The object at a path, empty when there is none. */
export function objectAt(value: JsonValue, ...keys: readonly string[]): JsonObject {
  const found = valueAt(value, ...keys);
  return isJsonObject(found) ? found : NOTHING;
}

/** The moment at a path in epoch milliseconds: a number, or RFC 3339 text. */
export function momentAt(value: JsonValue, ...keys: readonly string[]): number | undefined {
  const found = valueAt(value, ...keys);
  if (typeof found === 'number') return found;
  const parsed = typeof found === 'string' ? Date.parse(found) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The texts of the list at a path. */
export function textsAt(value: JsonValue, ...keys: readonly string[]): readonly string[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

/**
 * The member that a record itself has; undefined for any other key, and for the keys that all objects know.
 */
export function own<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
