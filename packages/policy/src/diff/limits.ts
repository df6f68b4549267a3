import type { JsonValue } from '@subluminal/core-types';
import type { PlainLimitRule } from '../snapshot/plain.js';
import { type ChangeKind, type Effect, NO_EFFECT } from './change.js';

/** One field of a limit that changed. */
export interface LimitChange extends Effect {
  readonly kind: ChangeKind;
  readonly field: string;
  readonly from: JsonValue;
  readonly to: JsonValue;
  /** `raised`, `lowered`, `set`, `removed` or `changed`. */
  readonly verb: string;
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

/** Higher lets more pass. An absent one is no limit. */
const LOOSER_HIGHER: readonly string[] = [
  'limit_calls',
  'limit_cost_units',
  'limit_write_actions',
  'capacity',
  'refill_tokens',
  'latency_threshold_ms',
];
/** Higher lets less pass. */
const LOOSER_LOWER: readonly string[] = [
  'cost_units_per_call',
  'refill_period_ms',
  'cost_tokens_per_call',
  'window_ms',
  'repeat_window_ms',
];
/** As the first, but zero is no limit. */
const LOOSER_HIGHER_OR_ZERO: readonly string[] = ['error_threshold', 'repeat_threshold'];
/** The action on a refused call, and the words to it. */
const ACTIONS: readonly string[] = ['on_exceed', 'on_limit', 'on_trip', 'on_duplicate'];

/** The changes in the numbers of a limit, and in its action. Words are not looked at. */
export function limitChanges(from: PlainLimitRule, to: PlainLimitRule): readonly LimitChange[] {
  const [before, after] = [fieldsOf(from), fieldsOf(to)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((field) => {
    const [old, fresh] = [before[field], after[field]];
    const effect = old === fresh ? undefined : effectOf(field, old, fresh);
    if (effect === undefined) return [];
    const kind = ACTIONS.includes(field) ? ('action' as const) : ('limit' as const);
    return [{ ...effect, kind, field, from: old ?? null, to: fresh ?? null, verb: verbOf(old, fresh) }];
  });
}

/** The fields of a limit that decide. */
function fieldsOf(rule: PlainLimitRule): Fields {
  switch (rule.kind) {
    case 'budget':
      return { ...rule.effect.budget };
    case 'rate_limit':
      return { ...rule.effect.rate_limit };
    case 'breaker':
      return { ...rule.effect.breaker };
    case 'dedupe':
      return { ...rule.effect.dedupe };
  }
}

/** Undefined for a field that decides nothing. */
function effectOf(
  field: string,
  old: JsonValue | undefined,
  fresh: JsonValue | undefined,
): Effect | undefined {
  if (field === 'scope') return unknown('what was counted so far is counted anew, by another scope');
  if (field === 'cost_units_from') return unknown('calls cost something else');
  if (field === 'key') return unknown('other calls are the same');
  if (ACTIONS.includes(field)) return actionEffect(old, fresh);
  if (LOOSER_HIGHER.includes(field)) return ordered(bound(old), bound(fresh));
  if (LOOSER_HIGHER_OR_ZERO.includes(field)) return ordered(bound(old) || ABSENT, bound(fresh) || ABSENT);
  if (LOOSER_LOWER.includes(field)) return ordered(-bound(old), -bound(fresh));
  return undefined;
}

const ABSENT = Number.POSITIVE_INFINITY;

function bound(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : ABSENT;
}

function ordered(old: number, fresh: number): Effect {
  if (fresh === old) return NO_EFFECT;
  if (fresh > old) return { ...NO_EFFECT, loosens: true, why: 'more may pass' };
  return { ...NO_EFFECT, tightens: true, why: 'less may pass' };
}

function actionEffect(old: JsonValue | undefined, fresh: JsonValue | undefined): Effect {
  // A person may let it pass.
  if (fresh === 'ASK') return { ...NO_EFFECT, loosens: true, why: 'a person may let it pass' };
  if (old === 'ASK' && fresh !== 'TERMINATE_RUN')
    return { ...NO_EFFECT, tightens: true, why: 'nobody is asked' };
  if (old === 'TERMINATE_RUN') return { ...NO_EFFECT, loosens: true, why: 'the run goes on' };
  if (fresh === 'TERMINATE_RUN') return { ...NO_EFFECT, tightens: true, reach: true, why: 'it ends the run' };
  return NO_EFFECT;
}

function unknown(why: string): Effect {
  return { loosens: true, tightens: true, reach: true, why };
}

function verbOf(old: JsonValue | undefined, fresh: JsonValue | undefined): string {
  if (old === undefined) return 'set';
  if (fresh === undefined) return 'removed';
  if (typeof old !== 'number' || typeof fresh !== 'number') return 'changed';
  return fresh > old ? 'raised' : 'lowered';
}
