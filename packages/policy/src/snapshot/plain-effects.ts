import {
  compareCodePoints,
  type HintKind,
  type JsonObject,
  type JsonValue,
  type PolicyRule,
} from '@subluminal/core-types';
import { plainKey } from '../source/keys.js';

type EffectOf<Kind extends PolicyRule['kind']> = Extract<PolicyRule, { kind: Kind }>['effect'];
type Scope = 'run' | 'tool' | 'server_tool';

/** The words of a rule to an agent. `suggested_args` has no prototype anywhere. */
export interface PlainHint {
  readonly hint_text?: string;
  readonly hint_kind?: HintKind;
  readonly retry_advice?: string;
  readonly suggested_args?: JsonObject;
  readonly drop_args?: readonly string[];
}
/** The words of a limit to an agent: its kind of hint is always written. */
export interface PlainLimitHint extends PlainHint {
  readonly hint_kind: HintKind;
}
/** The words to a run that ends. The code is written where the rule can end one. */
export interface PlainTerminate {
  readonly terminate_code?: string;
  readonly terminate_message?: string;
}

export interface PlainAllowEffect {
  readonly action: 'ALLOW';
  readonly reason_code: string;
  readonly message: string;
  readonly overrides?: readonly string[];
}
/** A deny without a hint, and without `hide: true`, has neither in its normal form. */
export interface PlainDenyEffect extends PlainHint {
  readonly action: 'BLOCK';
  readonly reason_code: string;
  readonly message: string;
  readonly hide?: true;
}
export interface PlainBudget extends PlainLimitHint, PlainTerminate {
  readonly scope: Scope;
  readonly limit_calls?: number;
  readonly limit_cost_units?: number;
  readonly limit_write_actions?: number;
  readonly cost_units_per_call: number;
  readonly cost_units_from?: string;
  readonly on_exceed: 'BLOCK' | 'REJECT_WITH_HINT' | 'TERMINATE_RUN' | 'ASK';
}
export interface PlainRateLimit extends PlainLimitHint {
  readonly scope: Scope;
  readonly capacity: number;
  readonly refill_tokens: number;
  readonly refill_period_ms: number;
  readonly cost_tokens_per_call: number;
  readonly on_limit: 'THROTTLE' | 'BLOCK' | 'REJECT_WITH_HINT';
  readonly backoff_ms?: number;
}
export interface PlainBreaker extends PlainLimitHint, PlainTerminate {
  readonly scope: Scope;
  readonly error_threshold: number;
  readonly window_ms: number;
  readonly repeat_threshold: number;
  readonly repeat_window_ms: number;
  readonly latency_threshold_ms?: number;
  readonly on_trip: 'TERMINATE_RUN' | 'BLOCK' | 'REJECT_WITH_HINT';
}
export interface PlainDedupe extends PlainLimitHint {
  readonly scope: Scope;
  readonly window_ms: number;
  readonly key: 'args_hash' | 'custom';
  readonly on_duplicate: 'BLOCK' | 'REJECT_WITH_HINT';
}

export function plainAllow({ overrides, ...effect }: EffectOf<'allow'>): PlainAllowEffect {
  if (overrides === undefined || overrides.length === 0) return effect;
  return { ...effect, overrides: [...new Set(overrides)].toSorted(compareCodePoints) };
}

export function plainDeny(effect: EffectOf<'deny'>): PlainDenyEffect {
  const { action, reason_code, message, hide } = effect;
  const hint = plainHint(effect);
  const kind = hint.suggested_args === undefined ? 'SAFETY' : 'ARG_FIX';
  return {
    action,
    reason_code,
    message,
    ...hint,
    ...(hint.hint_text === undefined ? {} : { hint_kind: hint.hint_kind ?? kind }),
    ...(hide === true ? { hide } : {}),
  };
}

export function plainBudget(budget: EffectOf<'budget'>['budget']): PlainBudget {
  const { scope, cost_units_per_call, on_exceed, limit_calls, limit_cost_units, limit_write_actions } =
    budget;
  return {
    scope,
    ...present({
      limit_calls,
      limit_cost_units,
      limit_write_actions,
      cost_units_from: budget.cost_units_from,
    }),
    cost_units_per_call,
    on_exceed,
    ...plainTerminate(budget, on_exceed, 'BUDGET_EXCEEDED'),
    ...limitHint(budget, 'BUDGET'),
  };
}

export function plainRateLimit(rate_limit: EffectOf<'rate_limit'>['rate_limit']): PlainRateLimit {
  const { scope, capacity, refill_tokens, refill_period_ms, cost_tokens_per_call, on_limit } = rate_limit;
  return {
    scope,
    capacity,
    refill_tokens,
    refill_period_ms,
    cost_tokens_per_call,
    on_limit,
    ...present({ backoff_ms: rate_limit.backoff_ms }),
    ...limitHint(rate_limit, 'RATE'),
  };
}

export function plainBreaker(breaker: EffectOf<'breaker'>['breaker']): PlainBreaker {
  const { scope, error_threshold, window_ms, repeat_threshold, repeat_window_ms, on_trip } = breaker;
  return {
    scope,
    error_threshold,
    window_ms,
    repeat_threshold,
    repeat_window_ms,
    ...present({ latency_threshold_ms: breaker.latency_threshold_ms }),
    on_trip,
    ...plainTerminate(breaker, on_trip, 'BREAKER_TRIPPED'),
    ...limitHint(breaker, 'OTHER'),
  };
}

export function plainDedupe(dedupe: EffectOf<'dedupe'>['dedupe']): PlainDedupe {
  const { scope, window_ms, key, on_duplicate } = dedupe;
  return { scope, window_ms, key, on_duplicate, ...limitHint(dedupe, 'OTHER') };
}

interface HintFields {
  readonly hint_text?: string | undefined;
  readonly hint_kind?: HintKind | undefined;
  readonly retry_advice?: string | undefined;
  readonly suggested_args?: Readonly<Record<string, unknown>> | undefined;
  readonly drop_args?: readonly string[] | undefined;
}

function limitHint(fields: HintFields, kind: HintKind): PlainLimitHint {
  return { hint_kind: kind, ...plainHint(fields) };
}

function plainHint({ hint_text, hint_kind, retry_advice, suggested_args, drop_args }: HintFields): PlainHint {
  const drop = drop_args === undefined || drop_args.length === 0 ? undefined : [...new Set(drop_args)];
  return {
    ...present({ hint_text, hint_kind, retry_advice, drop_args: drop?.toSorted(compareCodePoints) }),
    ...(suggested_args === undefined ? {} : { suggested_args: plainObject(suggested_args) }),
  };
}

function plainTerminate(
  {
    terminate_code,
    terminate_message,
  }: { terminate_code?: string | undefined; terminate_message?: string | undefined },
  action: string,
  code: string,
): PlainTerminate {
  if (action !== 'TERMINATE_RUN') return {};
  return { terminate_code: terminate_code ?? code, ...present({ terminate_message }) };
}

function plainObject(from: Readonly<Record<string, unknown>>): JsonObject {
  // Without a prototype, `__proto__` is a key like any other.
  const to: Record<string, JsonValue> = Object.create(null);
  for (const [key, value] of Object.entries(from)) to[plainKey(key)] = plainValue(value);
  return to;
}

function plainValue(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plainValue);
  if (isRecord(value)) return plainObject(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The fields that are there. */
function present<Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
): { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
function present(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
