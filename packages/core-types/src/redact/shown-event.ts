import { canonicalize } from '../json/canonicalize.js';
import { parseJson } from '../json/parse.js';
import { ExactNumber, isJsonObject, type JsonObject, type JsonValue } from '../json/value.js';
import { withoutNamedBeside } from './beside.js';
import { MASK } from './mask.js';
import { redact } from './redact.js';
import { renamed } from './renamed.js';

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

/** A name that `redact` leaves as it is: no token of any issuer is that short. */
const PLAIN_NAME = /^\w{0,14}$/;

/** The end of a name tells whether it is the name of a secret: longer ends change nothing, and only cost. */
const NAME_END = 80;

/** So much text is looked at before the next step, in characters: some milliseconds. */
const STEP = 65_536;
/** A text costs as much as if it had so many characters more: most names and values are short. */
const EACH = 64;
/** So does a member whose name and value are known already. */
const MEMBER = 8;

/**
 * The event without anything that looks like a credential. Each value is looked at with its own name and the
 * names of the fields that it stands in, and with a name that is a value beside it. The rest of the event
 * stays as it was. The text as a whole is not redacted: that may leave no JSON (`"token":{"omitted":true}`).
 * Time is linear in the text of the event.
 */
export function shownEvent(event: JsonObject): JsonObject {
  const steps = shownEventSteps(event);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same in steps of some milliseconds each, for a caller who has others waiting. Only a single text, and
 * the last look at all of them, are as long as they are.
 */
export function shownEventSteps(event: JsonObject): Generator<undefined, JsonObject> {
  return new Showing().event(event);
}

/** One event while it is read; it asks about each distinct name once. */
class Showing {
  readonly #shownNames = new Map<string, string>();
  readonly #telling = new Map<string, boolean>();
  /** Text that was looked at since the last step. */
  #looked = 0;

  *event(event: JsonObject): Generator<undefined, JsonObject> {
    const { secret, ...rest } = event;
    const named = yield* this.#object(rest, false);
    yield;
    const shown = withoutNamedBeside(named);
    if (secret === undefined) return shown;
    yield;
    return { ...shown, secret: yield* this.#secret(event['type'], secret) };
  }

  /** Its own name says that it is a secret, and it is none. */
  *#secret(type: JsonValue | undefined, secret: JsonValue): Generator<undefined, JsonValue> {
    if (type !== 'secret_injection' || !isJsonObject(secret))
      return yield* this.#value(secret, 'secret', false);
    return yield* this.#renamed(secret, (key) =>
      SECRET_FACTS.has(key) ? { name: PLAIN, isSecret: false } : { name: key, isSecret: true },
    );
  }

  #object(object: JsonObject, isSecret: boolean): Generator<undefined, JsonObject> {
    return this.#renamed(object, (name) => ({ name, isSecret }));
  }

  /** `as`: how the value under a name is looked at. */
  *#renamed(
    object: JsonObject,
    as: (key: string) => { readonly name: string; readonly isSecret: boolean },
  ): Generator<undefined, JsonObject> {
    const shown = new Map<string, JsonValue>();
    for (const [key, value] of Object.entries(object)) {
      const { name, isSecret } = as(key);
      this.#shownName(key);
      shown.set(
        key,
        isPlain(value) ? this.#plain(value, name, isSecret) : yield* this.#value(value, name, isSecret),
      );
      this.#looked += MEMBER;
      if (this.#isStep()) yield;
    }
    return renamed(
      object,
      (key) => this.#shownName(key),
      (key) => shown.get(key) ?? null,
    );
  }

  /** `isSecret`: a field that this stands in has the name of a secret. */
  *#value(value: JsonValue, name: string, isSecret: boolean): Generator<undefined, JsonValue> {
    if (isPlain(value)) return this.#plain(value, name, isSecret);
    if (isJsonObject(value)) return yield* this.#object(value, isSecret || this.#tells(name));
    const shown: JsonValue[] = [];
    for (const item of value) {
      shown.push(
        isPlain(item) ? this.#plain(item, name, isSecret) : yield* this.#value(item, name, isSecret),
      );
      this.#looked += MEMBER;
      if (this.#isStep()) yield;
    }
    return shown;
  }

  /** A value without members. */
  #plain(value: Plain, name: string, isSecret: boolean): JsonValue {
    if (value === null || value === '' || typeof value === 'boolean') return value;
    if (isSecret || this.#tells(name)) return MASK;
    if (typeof value !== 'string') return value;
    this.#looked += EACH + value.length;
    return shownAs(endOf(name), value);
  }

  #shownName(name: string): string {
    if (PLAIN_NAME.test(name)) return name;
    const known = this.#shownNames.get(name);
    if (known !== undefined) return known;
    this.#looked += EACH + name.length;
    const { text } = redact(name);
    this.#shownNames.set(name, text);
    return text;
  }

  #tells(name: string): boolean {
    const known = this.#telling.get(name);
    if (known !== undefined) return known;
    this.#looked += EACH;
    const tells = redact(canonicalize({ [endOf(name)]: 1 })).count > 0;
    this.#telling.set(name, tells);
    return tells;
  }

  /** Whether enough was looked at for one step; the next one begins then. */
  #isStep(): boolean {
    if (this.#looked < STEP) return false;
    this.#looked = 0;
    return true;
  }
}

/** A value without members. */
type Plain = null | boolean | number | string | ExactNumber;

function isPlain(value: JsonValue): value is Plain {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}

/** The last characters of a name, none of them half of a pair. */
function endOf(name: string): string {
  const end = name.slice(-NAME_END);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}

/** A text as the text of a member with that name would show it. */
function shownAs(name: string, value: string): JsonValue {
  const { text, count } = redact(canonicalize({ [name]: value }));
  if (count === 0) return value;
  return parsed(text)?.[name] ?? MASK;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const read = parseJson(text);
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
