import { ExactNumber, type JsonObject, type JsonValue, redact, own } from '@subluminal/core-types';

/** The longest text that a spool keeps of an argument. */
const MAX_VALUE = 128;

/**
 * The arguments that some rule looks at, as a spool may hold them: scalars, short, and nothing that looks
 * like a credential. The gateway charges the call by them when it is back. Undefined where one of them cannot
 * be kept.
 */
export function recordedArgs(args: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const kept: Record<string, JsonValue> = Object.create(null);
  for (const key of keys) {
    const value = own(args, key);
    if (value === undefined) continue;
    if (!isShort(key, value)) return undefined;
    kept[key] = value;
  }
  return kept;
}

function isShort(key: string, value: JsonValue): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return true;
  if (value instanceof ExactNumber) return value.text.length <= MAX_VALUE;
  if (typeof value !== 'string' || value.length > MAX_VALUE) return false;
  // With its name: what a password looks like, only the name says.
  return redact(JSON.stringify({ [key]: value })).count === 0;
}
