import * as z from 'zod';
import type { JsonObject, JsonValue } from '../json/value.js';

function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/**
 * A JSON object that passes by reference: zod neither copies it nor looks inside, so `__proto__` keys and
 * exact numbers survive. Only for values that came out of `parseJson`.
 */
export const JsonObjectSchema = z.custom<JsonObject>(isJsonObject, 'expected a json object');

/** Any JSON value that came out of `parseJson`, by reference. */
export const JsonValueSchema = z.custom<JsonValue>((value) => value !== undefined, 'expected a json value');

const namesNoPrototype = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || !Object.hasOwn(value, '__proto__');

/**
 * Values by name. `z.record` leaves `__proto__` out and says nothing; this refuses it, since the value that
 * was judged would otherwise not be the value that is used.
 */
export function recordOf<V extends z.ZodType>(name: z.ZodString, value: V) {
  const record = z.record(name, value);
  return z.custom<z.input<typeof record>>(namesNoPrototype, 'every name but `__proto__`').pipe(record);
}

/** Lowercase hex SHA-256. */
export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lowercase hex digits');

/** RFC 3339 in UTC, as the envelope of Contract A has it. */
export const Timestamp = z.iso.datetime();

/** RFC 3339 with any offset from UTC. */
export const Rfc3339 = z.iso.datetime({ offset: true });

/** A name that a person or a client gave: bounded, and without control characters. */
export const Label = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, 'control characters are not allowed');
