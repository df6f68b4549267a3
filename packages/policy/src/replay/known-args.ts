import {
  isJsonObject,
  isSublError,
  parseJson,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';

/** The record of a call's arguments. */
export interface KeptArgs {
  /** The preview, redacted and cut; null where it was not kept or has expired. */
  readonly preview: string | null;
  /** The preview does not show all. */
  readonly truncated: boolean;
  /** So many places of it are masked. */
  readonly redactions: number;
  /** The arguments were too large to be inspected. */
  readonly uninspected: boolean;
  /**
   * `facts.args` of the decision: the values that its policy looked at; null where an argument was absent.
   */
  readonly facts: JsonObject;
}

/** The known arguments of a call. */
export interface KnownArgs {
  /**
   * `whole`: all of them; `part`: these, and nothing about the others; `uninspected`: the gateway did not
   * know them.
   */
  readonly kind: 'whole' | 'part' | 'uninspected';
  readonly values: JsonObject;
  /** Known not to have been there. */
  readonly absent: ReadonlySet<string>;
  /** Known to have been there, with a value that is not known. */
  readonly present: ReadonlySet<string>;
}

/** The mark where something was taken out; an argument with that in it is not known. */
const MASK = '[REDACTED]';
const NONE: ReadonlySet<string> = new Set();

/** Puts together what is known. A value that was masked or cut is unknown, never taken for the rest of it. */
export function knownArgs(kept: KeptArgs): KnownArgs {
  const noted = Object.entries(kept.facts);
  const absent = new Set(noted.flatMap(([key, value]) => (value === null ? [key] : [])));
  if (kept.uninspected) return { kind: 'uninspected', values: {}, absent, present: NONE };
  const shown = kept.truncated ? undefined : parsed(kept.preview);
  // A mask counts also where nobody counted it: what a shim has redacted is redacted again.
  if (shown !== undefined && kept.redactions === 0 && kept.preview?.includes(MASK) === false) {
    return { kind: 'whole', values: shown, absent: NONE, present: NONE };
  }
  const values: Record<string, JsonValue> = Object.create(null);
  const present = new Set<string>();
  for (const [key, value] of [...noted, ...Object.entries(shown ?? {})]) {
    if (value === null && absent.has(key)) continue;
    if (isMasked(value) || isOmitted(value, kept.facts[key])) present.add(key);
    else values[key] = value;
  }
  for (const key of Object.keys(values)) present.delete(key);
  return { kind: 'part', values, absent, present };
}

/** A value that the decision noted as not kept, in the place of any other. */
function isOmitted(value: JsonValue, noted: JsonValue | undefined): boolean {
  return value === noted && isJsonObject(value);
}

function parsed(preview: string | null): JsonObject | undefined {
  if (preview === null) return undefined;
  try {
    const value = parseJson(preview);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    // A mask may stand where the text was not inside a value.
    if (isSublError(error, 'invalid_json', 'too_deep')) return undefined;
    throw error;
  }
}

function isMasked(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes(MASK);
  if (Array.isArray(value)) return value.some((item: JsonValue) => isMasked(item));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => key.includes(MASK) || isMasked(member));
}
