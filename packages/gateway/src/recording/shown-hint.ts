import {
  canonicalize,
  exactMask,
  redact,
  type Hint,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';

/** Longer values of arguments are not kept, nor are suggestions that are longer together. */
const MAX_VALUE = 1024;
const MAX_SUGGESTION = 4096;
/** Each takes five characters at least: `"":0,`. */
const MAX_MEMBERS = MAX_SUGGESTION / 5;
/** Of those that look like a credential. They are looked for in each value. */
const MAX_SECRETS = 64;

/** In the place of a value that is not kept. */
const OMITTED: JsonObject = Object.freeze({ omitted: true });
const OMITTED_LENGTH = 16;

/**
 * A hint as the ledger keeps it. Its suggestion is made of the call's arguments, of which entries hold none
 * that looks like a credential or is long; the agent gets the hint as it is.
 */
export function shownHint(hint: Hint): Hint {
  const { suggested_args: args } = hint;
  return args === null ? hint : { ...hint, suggested_args: shownArgs(args) };
}

function shownArgs(args: JsonObject): JsonObject | null {
  const keys = Object.keys(args);
  if (keys.length > MAX_MEMBERS || keys.some((key) => redact(key).count > 0)) return null;
  const members = Object.entries(args).map(([key, value]) => ({ key, value, text: canonicalize(value) }));
  const secrets = members.filter(({ key, text }) => isSecret(key, text));
  if (secrets.length > MAX_SECRETS) return null;
  // A template may have put one argument into another.
  const mask = exactMask(
    secrets.flatMap(({ key: name, value }) =>
      typeof value === 'string' && value !== '' && value.length <= MAX_VALUE ? [{ name, value }] : [],
    ),
    { cut: false },
  );
  // Without a prototype: `__proto__` is an argument like any other.
  const shown: Record<string, JsonValue> = Object.create(null);
  let length = 0;
  for (const member of members) {
    const { key, value, text } = member;
    const isKept =
      text.length <= MAX_VALUE && !secrets.includes(member) && (mask === undefined || mask(text) === text);
    shown[key] = isKept ? value : OMITTED;
    length += key.length + (isKept ? text.length : OMITTED_LENGTH);
    if (length > MAX_SUGGESTION) return null;
  }
  return canonicalize(shown).length > MAX_SUGGESTION ? null : shown;
}

/** With its name: what a password looks like, only the name says. */
function isSecret(key: string, text: string): boolean {
  return redact(`{${canonicalize(key)}:${text}}`).count > 0;
}
