import { type JsonObject, type JsonValue, SublError } from '@subluminal/core-types';
import { isCount } from './amount.js';
import { type Charge, type ChargeItem, type MeterScope, NO_CHARGE } from './charge.js';

const SCOPES: readonly MeterScope[] = [
  'run',
  'tool',
  'server_tool',
  'own_run',
  'own_tool',
  'own_server_tool',
  'project_run',
  'project_tool',
  'project_server_tool',
];
const MAX_ITEMS = 50_000;
/** Kind, rule, scope and key, which every item begins with. */
const HEAD = 4;

/**
 * A charge as data, small enough for every decision: `keys` are the texts under which the call is counted,
 * each once; an item is a list that begins with its kind, rule, scope and the place of its key.
 */
export function chargeData(charge: Charge): JsonValue {
  const keys: string[] = [];
  const place = (key: string): number => {
    const found = keys.indexOf(key);
    return found === -1 ? keys.push(key) - 1 : found;
  };
  const items = charge.map((item) => itemData(item, place));
  return { items, keys };
}

/** @throws SublError `policy_invalid` for anything that `chargeData` does not give. */
export function chargeFrom(value: unknown): Charge {
  const { items, keys, ...rest } = isRecord(value) ? value : {};
  if (!Array.isArray(items) || !isTexts(keys) || Object.keys(rest).length > 0 || items.length > MAX_ITEMS) {
    throw invalid();
  }
  return items.length === 0 ? NO_CHARGE : items.map((item) => itemFrom(item, keys));
}

function itemData(item: ChargeItem, place: (key: string) => number): readonly JsonValue[] {
  const head = [item.rule_id, SCOPES.indexOf(item.scope), place(item.key)];
  switch (item.kind) {
    case 'budget':
      return ['budget', ...head, flag(item.isWrite), item.cost.units, item.cost.micros];
    case 'rate_limit':
      return ['rate_limit', ...head, item.tokens, item.refill_tokens, item.refill_period_ms];
    case 'breaker': {
      const { repeat_threshold, repeat_window_ms, error_threshold, window_ms, latency_threshold_ms } = item;
      const flags =
        flag(item.repeatsOpen) +
        2 * flag(item.errorsOpen) +
        4 * flag(item.repeatsWereOpen) +
        8 * flag(item.errorsWereOpen);
      const repeats = [place(item.entry), repeat_threshold, repeat_window_ms];
      return ['breaker', ...head, ...repeats, error_threshold, window_ms, latency_threshold_ms, flags];
    }
    case 'dedupe':
      return ['dedupe', ...head, place(item.entry), item.window_ms];
  }
}

/** Without spreading anything: a start reads those of a million calls. */
function itemFrom(value: unknown, keys: readonly string[]): ChargeItem {
  if (!Array.isArray(value)) throw invalid();
  const item: readonly unknown[] = value;
  const rule_id = item[1];
  const scope = SCOPES[isCount(item[2]) ? item[2] : -1];
  if (typeof rule_id !== 'string' || scope === undefined) throw invalid();
  const key = keyOf(keys, item[3]);
  for (let at = HEAD; at < item.length; at += 1) if (!isCount(item[at])) throw invalid();
  const at = (index: number): number => Number(item[HEAD + index]);
  switch (`${String(item[0])} ${item.length - HEAD}`) {
    case 'budget 3':
      if (at(0) > 1 || at(2) > 999_999) throw invalid();
      return {
        kind: 'budget',
        rule_id,
        scope,
        key,
        isWrite: at(0) === 1,
        cost: { units: at(1), micros: at(2) },
      };
    case 'rate_limit 3':
      if (at(2) === 0) throw invalid();
      return {
        kind: 'rate_limit',
        rule_id,
        scope,
        key,
        tokens: at(0),
        refill_tokens: at(1),
        refill_period_ms: at(2),
      };
    case 'breaker 7':
      if (at(6) > 15) throw invalid();
      return {
        kind: 'breaker',
        rule_id,
        scope,
        key,
        entry: keyOf(keys, item[HEAD]),
        repeat_threshold: at(1),
        repeat_window_ms: at(2),
        error_threshold: at(3),
        window_ms: at(4),
        latency_threshold_ms: at(5),
        repeatsOpen: at(6) % 2 === 1,
        errorsOpen: at(6) % 4 > 1,
        repeatsWereOpen: at(6) % 8 > 3,
        errorsWereOpen: at(6) > 7,
      };
    case 'dedupe 2':
      return { kind: 'dedupe', rule_id, scope, key, entry: keyOf(keys, item[HEAD]), window_ms: at(1) };
    default:
      throw invalid();
  }
}

function keyOf(keys: readonly string[], at: unknown): string {
  const key = isCount(at) ? keys[at] : undefined;
  if (key === undefined) throw invalid();
  return key;
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(): SublError {
  return new SublError('policy_invalid', 'what a call took out of its limits cannot be read');
}
