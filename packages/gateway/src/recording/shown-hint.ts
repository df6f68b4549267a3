import { canonicalize, redact, type Hint, type JsonObject, type JsonValue } from '@subluminal/core-types';

/** Longer values of arguments are not kept, nor are suggestions that are longer together. */
const MAX_VALUE = 1024;
const MAX_SUGGESTION = 4096;

/** In the place of a value that is not kept. */
const OMITTED: JsonObject = Object.freeze({ omitted: true });

/**
 * A hint as the ledger keeps it. What it suggests is made of the call's arguments, of which entries hold none
 * that looks like a credential or is long; the agent gets the hint as it is.
 */
export function shownHint(hint: Hint): Hint {
  const { suggested_args: args } = hint;
  return args === null ? hint : { ...hint, suggested_args: shownArgs(args) };
}

function shownArgs(args: JsonObject): JsonObject | null {
  const entries = Object.entries(args);
  if (entries.some(([key]) => redact(key).count > 0)) return null;
  const secrets = new Set(entries.filter(([key, value]) => isSecret(key, value)).map(([key]) => key));
  const texts = [...secrets].flatMap((key) => (typeof args[key] === 'string' ? args[key] : []));
  // Without a prototype: `__proto__` is an argument like any other.
  const shown: Record<string, JsonValue> = Object.create(null);
  for (const [key, value] of entries) {
    const isKept = !secrets.has(key) && isShort(value) && !texts.some((text) => holds(value, text));
    shown[key] = isKept ? value : OMITTED;
  }
  return canonicalize(shown).length > MAX_SUGGESTION ? null : shown;
}

/** With its name: what a password looks like, only the name says. */
function isSecret(key: string, value: JsonValue): boolean {
  return redact(canonicalize({ [key]: value })).count > 0;
}

function isShort(value: JsonValue): boolean {
  return canonicalize(value).length <= MAX_VALUE;
}

/** A template may have put one argument into another. */
function holds(value: JsonValue, text: string): boolean {
  return text !== '' && canonicalize(value).includes(canonicalize(text).slice(1, -1));
}
