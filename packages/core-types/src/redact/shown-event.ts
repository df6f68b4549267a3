import { canonicalize } from '../json/canonicalize.js';
import { parseJson } from '../json/parse.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.js';
import { MASK } from './mask.js';
import { redact } from './redact.js';

/** The fields of a secret in `secret_injection`: names, and no value. */
const SECRET_FACTS: ReadonlySet<string> = new Set([
  'server_name',
  'inject_as',
  'secret_ref',
  'source',
  'inject',
  'hosts',
  'success',
]);

/** Above a name that says nothing of its value. */
const PLAIN = 'value';

/**
 * The event without anything that looks like a credential. Each value is looked at with its own name and the
 * name of the field that it stands in. The rest of the event stays as it was. The text as a whole is not
 * redacted: that may leave no JSON (`"token":{"omitted":true}`).
 */
export function shownEvent(event: JsonObject): JsonObject {
  const { secret, ...rest } = event;
  const shown = shownObject(rest, []);
  if (secret === undefined) return shown;
  return { ...shown, secret: shownSecret(event['type'], secret) };
}

/** Its own name says that it is a secret, and it is none. */
function shownSecret(type: JsonValue | undefined, secret: JsonValue): JsonValue {
  if (type !== 'secret_injection' || !isJsonObject(secret)) return shownValue(secret, ['secret']);
  return Object.fromEntries(
    Object.entries(secret).map(([key, value]) => [
      redact(key).text,
      SECRET_FACTS.has(key) ? shownValue(value, [PLAIN]) : shownValue(value, ['secret', key]),
    ]),
  );
}

function shownObject(object: JsonObject, above: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [redact(key).text, shownValue(value, [...above, key])]),
  );
}

/** `names`: of what it stands in, its own last. */
function shownValue(value: JsonValue, names: readonly string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => shownValue(item, names));
  if (isJsonObject(value)) return shownObject(value, names);
  if (value === null || typeof value === 'boolean') return value;
  return names.slice(0, -1).some((name) => shownAs(name, value) !== value)
    ? MASK
    : shownAs(names.at(-1) ?? PLAIN, value);
}

/** A value as the text of a member with that name would show it. */
function shownAs(name: string, value: JsonValue): JsonValue {
  const { text, count } = redact(canonicalize({ [name]: value }));
  if (count === 0) return value;
  const read = parsed(text);
  return read?.[name] ?? MASK;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const read = parseJson(text);
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
