import { isJsonObject, type JsonObject, redact, sha256Hex, startOf } from '@subluminal/core-types';

/** The longest name that is kept. */
const MAX_LABEL = 256;
/** The longest text of a fact. */
const MAX_FACT = 512;
/** So much of it is looked at for credentials. */
const MAX_LOOKED_AT = 16_384;

/** A member that is a name; undefined where there is none. Control characters are taken out. */
export function labelIn(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (typeof value !== 'string') return undefined;
  const label = startOf(value.replaceAll(/\p{Cc}/gu, ''), MAX_LABEL);
  return label === '' ? undefined : label;
}

/** A member that is an object; undefined where there is none. */
export function objectIn(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

/** The arguments of a call: an object, whatever the client says they are, so that no call goes unjudged. */
export function inputIn(body: JsonObject): JsonObject {
  const input = body['tool_input'] ?? null;
  if (input === null) return {};
  return isJsonObject(input) ? input : { input };
}

/** A member that is a text of any length; undefined where there is none. */
export function textIn(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The members with these names that are plain values, as an entry keeps them: cut, and without credentials.
 */
export function factsIn(body: JsonObject, names: readonly string[]): JsonObject {
  const facts: Record<string, string | number | boolean> = {};
  for (const name of names) {
    const value = body[name];
    if (typeof value === 'number' || typeof value === 'boolean') facts[name] = value;
    else if (typeof value === 'string') facts[name] = startOf(redact(lookedAt(value)).text, MAX_FACT);
  }
  return facts;
}

/** A word that is cut could be the beginning of a credential that is not told any more. */
function lookedAt(text: string): string {
  return text.length > MAX_LOOKED_AT ? startOf(text, MAX_LOOKED_AT).replace(/\S+$/, '') : text;
}

/** A person's words are kept as their hash and their length. */
export function hashedText(text: string): JsonObject {
  return { sha256: sha256Hex(text), bytes: Buffer.byteLength(text) };
}
