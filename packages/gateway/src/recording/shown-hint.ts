import { canonicalize, redact, type Hint, type JsonObject, type JsonValue } from '@subluminal/core-types';

/** Longer values of arguments are not kept, nor are suggestions that are longer together. */
const MAX_VALUE = 1024;
const MAX_SUGGESTION = 4096;

/** In the place of a value that is not kept. */
const OMITTED: JsonObject = Object.freeze({ omitted: true });

/**
 * A hint as the ledger keeps it. What it suggests is made of the call's arguments, of which entries hold none that looks
 * like a credential or is long; the agent gets the hint as it is.
 */
export function shownHint(hint: Hint): Hint {
  const { suggested_args: args } = hint;
  return args === null ? hint : { ...hint, suggested_args: shownArgs(args) };
}

function shownArgs(args: JsonObject): JsonObject | null {
  // Without a prototype: `__proto__` is an argument like any other.
  const shown: Record<string, JsonValue> = Object.create(null);
  for (const [key, value] of Object.entries(args)) {
    if (redact(key).count > 0) return null;
    shown[key] = isKept(key, value) ? value : OMITTED;
  }
  return canonicalize(shown).length > MAX_SUGGESTION ? null : shown;
}

/** With its name: what a password looks like, only the name says. */
function isKept(key: string, value: JsonValue): boolean {
  const text = canonicalize({ [key]: value });
  return text.length <= MAX_VALUE && redact(text).count === 0;
}
