import { ExactNumber, redact, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { readingsData } from './readings-data.js';
import { chargeData, waives, type Charge, type PolicyCall, type Waiver } from '@subluminal/policy';

/** Longer texts are not kept. */
const MAX_TEXT = 128;

/** In the place of a value that is not kept, or was not inspected. */
const OMITTED: JsonObject = Object.freeze({ omitted: true });

/** The facts by which a call was decided, and that its entries do not hold anyway. */
export interface DecidedBy {
  readonly charge: Charge;
  readonly call: PolicyCall;
  readonly waivers: readonly Waiver[];
  /** The answers of the home's policy and of those that narrow it, where there are any. */
  readonly policies?: JsonObject | undefined;
}

/**
 * The `facts` of a decision: what it has charged, the arguments that some rule looks at, the classes that
 * came from the tool's own annotations, and the rules that were waived. Undefined where there are none.
 * Members stand in their canonical order.
 */
export function decisionFacts(
  argKeys: readonly string[],
  { charge, call, waivers, policies }: DecidedBy,
): JsonObject | undefined {
  const raised = call.raised ?? [];
  const hasNone =
    argKeys.length === 0 &&
    charge.length === 0 &&
    raised.length === 0 &&
    waivers.length === 0 &&
    call.readings === undefined;
  if (hasNone && policies === undefined) return undefined;
  const facts: Record<string, JsonValue> = {};
  if (argKeys.length > 0) facts['args'] = shownArgs(call, argKeys);
  if (charge.length > 0) facts['charge'] = chargeData(charge);
  if (policies !== undefined) facts['policies'] = policies;
  if (raised.length > 0) facts['raised'] = [...raised];
  if (call.readings !== undefined) facts['readings'] = readingsData(call.readings);
  if (waivers.length > 0) facts['waived'] = [...new Set(waivers.map(({ rule_id }) => rule_id))];
  return facts;
}

/** Those that speak of a call. */
export function waiversOf(waivers: readonly Waiver[], call: PolicyCall): readonly Waiver[] {
  if (waivers.length === 0) return waivers;
  return waivers.filter((waiver) => waives(waiver, call));
}

function shownArgs(call: PolicyCall, keys: readonly string[]): JsonObject {
  // Without a prototype: `__proto__` is an argument like any other.
  const shown: Record<string, JsonValue> = Object.create(null);
  for (const key of keys) shown[key] = shownArg(call, key);
  return shown;
}

/** null for one that is not there: it says so, unlike a value that is not kept. */
function shownArg({ args, arg_keys: known }: PolicyCall, key: string): JsonValue {
  if (args === undefined) return known !== undefined && !known.includes(key) ? null : OMITTED;
  if (!Object.hasOwn(args, key)) return null;
  const value = args[key];
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (value instanceof ExactNumber) return value.text.length > MAX_TEXT ? OMITTED : value;
  if (typeof value !== 'string' || value.length > MAX_TEXT) return OMITTED;
  // With its name: what a password looks like, only the name says.
  return redact(JSON.stringify({ [key]: value })).count > 0 ? OMITTED : value;
}
