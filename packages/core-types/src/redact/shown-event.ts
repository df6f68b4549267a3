import { canonicalize } from '../json/canonicalize.js';
import { parseJson } from '../json/parse.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.js';
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

/**
 * The event without anything that looks like a credential. Each value is looked at with its own name and the
 * names of the fields that it stands in, and with a name that is a value beside it. The rest of the event
 * stays as it was. The text as a whole is not redacted: that may leave no JSON (`"token":{"omitted":true}`).
 * Time is linear in the text of the event.
 */
export function shownEvent(event: JsonObject): JsonObject {
  return new Showing().event(event);
}

/** One event while it is read; it asks about each distinct name once. */
class Showing {
  readonly #shownNames = new Map<string, string>();
  readonly #telling = new Map<string, boolean>();

  event(event: JsonObject): JsonObject {
    const { secret, ...rest } = event;
    const shown = withoutNamedBeside(this.#object(rest, false));
    if (secret === undefined) return shown;
    return { ...shown, secret: this.#secret(event['type'], secret) };
  }

  /** Its own name says that it is a secret, and it is none. */
  #secret(type: JsonValue | undefined, secret: JsonValue): JsonValue {
    if (type !== 'secret_injection' || !isJsonObject(secret)) return this.#value(secret, 'secret', false);
    return this.#renamed(secret, (key, value) =>
      SECRET_FACTS.has(key) ? this.#value(value, PLAIN, false) : this.#value(value, key, true),
    );
  }

  #object(object: JsonObject, isSecret: boolean): JsonObject {
    return this.#renamed(object, (key, value) => this.#value(value, key, isSecret));
  }

  #renamed(object: JsonObject, show: (key: string, value: JsonValue) => JsonValue): JsonObject {
    return renamed(object, (key) => this.#shownName(key), show);
  }

  /** `isSecret`: a field that this stands in has the name of a secret. */
  #value(value: JsonValue, name: string, isSecret: boolean): JsonValue {
    if (Array.isArray(value)) return value.map((item: JsonValue) => this.#value(item, name, isSecret));
    if (isJsonObject(value)) return this.#object(value, isSecret || this.#tells(name));
    if (value === null || value === '' || typeof value === 'boolean') return value;
    if (isSecret || this.#tells(name)) return MASK;
    return typeof value === 'string' ? shownAs(endOf(name), value) : value;
  }

  #shownName(name: string): string {
    if (PLAIN_NAME.test(name)) return name;
    const known = this.#shownNames.get(name) ?? redact(name).text;
    this.#shownNames.set(name, known);
    return known;
  }

  #tells(name: string): boolean {
    const known = this.#telling.get(name) ?? redact(canonicalize({ [endOf(name)]: 1 })).count > 0;
    this.#telling.set(name, known);
    return known;
  }
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
