import type { JsonObject, JsonValue } from '@subluminal/core-types';
import type { KnownArgs } from './known-args.js';
import type { Possible } from './possible-args.js';
import type { ToolQuestions } from './questions.js';

/** One way in which the arguments of a call may have been. */
export interface Reading {
  readonly args: JsonObject | undefined;
  readonly arg_keys?: readonly string[];
}

/** All ways that rules can tell apart, and the arguments that they differ in. */
export interface Readings {
  /** Undefined where there are more than can be gone through. */
  readonly all: readonly Reading[] | undefined;
  readonly unknown: readonly string[];
}

/** More ways than this are not gone through one by one. */
const MAX_READINGS = 64;

const NO_ARGS: JsonObject = Object.freeze({});
/** Where no rule looks at arguments they may have been anything. */
const ANY: Readings = { all: [{ args: NO_ARGS }], unknown: [] };

/** The possible arguments of a call: one way where all that rules look at is known. */
export function readingsOf(ask: () => KnownArgs, { args }: ToolQuestions): Readings {
  if (args.size === 0) return ANY;
  const known = ask();
  if (known.kind === 'whole') return { all: [{ args: known.values }], unknown: [] };
  if (known.kind === 'uninspected')
    return uninspected([...args.keys()].filter((key) => !known.absent.has(key)));
  const unknown = [...args.keys()].filter(
    (key) => !Object.hasOwn(known.values, key) && !known.absent.has(key),
  );
  const choices = unknown.map((key) =>
    (args.get(key) ?? []).filter((value) => value !== undefined || !known.present.has(key)),
  );
  const sets = combinations<Possible>(choices);
  return { all: sets?.map((set) => ({ args: filled(known.values, unknown, set) })), unknown };
}

/** Of these only the names may have been known, and which were is not recorded. */
function uninspected(keys: readonly string[]): Readings {
  if (keys.length === 0) return { all: [{ args: undefined, arg_keys: [] }], unknown: [] };
  const sets = combinations(keys.map((key) => [undefined, key]));
  const named = sets?.map((set) => ({ args: undefined, arg_keys: set.filter((key) => key !== undefined) }));
  return { all: named === undefined ? undefined : [{ args: undefined }, ...named], unknown: keys };
}

function filled(values: JsonObject, keys: readonly string[], set: readonly Possible[]): JsonObject {
  if (keys.length === 0) return values;
  const args: Record<string, JsonValue> = Object.assign(Object.create(null), values);
  for (const [at, key] of keys.entries()) {
    const value = set[at];
    if (value !== undefined) args[key] = value;
  }
  return args;
}

function combinations<T>(choices: readonly (readonly T[])[]): readonly (readonly T[])[] | undefined {
  let all: readonly (readonly T[])[] = [[]];
  for (const choice of choices) {
    if (all.length * choice.length > MAX_READINGS) return undefined;
    all = all.flatMap((set) => choice.map((one) => [...set, one]));
  }
  return all;
}
