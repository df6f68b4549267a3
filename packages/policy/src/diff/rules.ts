import { canonicalize, type JsonValue } from '@subluminal/core-types';
import { quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule, PlainTagRule } from '../snapshot/plain.js';
import { callsOf } from './affected.js';
import { both, type ChangeKind, type Effect, type FoundChange, NO_EFFECT } from './change.js';
import { classEffect, classesGone } from './classes.js';
import { limitChanges } from './limits.js';
import { matchText } from './match-text.js';
import { isLimit, overridesOf } from './parts.js';
import { whenGone, whenThere } from './presence.js';
import { matchReach, type Meetings } from './reach.js';

/** Both policies, and what it may cost to compare them. */
export interface Pair {
  readonly before: PlainPolicy;
  readonly after: PlainPolicy;
  readonly meetings: Meetings;
}

/** The rules that went, then those that came, stayed and changed in the order of the new policy. */
export function ruleChanges(pair: Pair): readonly FoundChange[] {
  const { before, after, meetings } = pair;
  const old = new Map(before.rules.map((rule) => [rule.rule_id, rule]));
  const fresh = new Map(after.rules.map((rule) => [rule.rule_id, rule]));
  const removed = before.rules
    .filter(({ rule_id }) => !fresh.has(rule_id))
    .map((rule) => {
      const effect = rule.enabled ? whenGone(rule, before, after, meetings) : NO_EFFECT;
      return change(pair, 'removed', [rule], effect, `removed ${name(rule)}`);
    });
  const others = after.rules.flatMap((rule) => {
    const previous = old.get(rule.rule_id);
    if (previous !== undefined) return keptRule(pair, previous, rule);
    const effect = rule.enabled ? whenThere(rule, after, meetings) : NO_EFFECT;
    const off = rule.enabled ? '' : ', which is disabled';
    return [change(pair, 'added', [rule], effect, `added ${name(rule)}${off}`)];
  });
  return [...removed, ...others];
}

function keptRule(pair: Pair, from: PlainRule, to: PlainRule): readonly FoundChange[] {
  if (same(from, to)) return [];
  const { before, after, meetings } = pair;
  if (from.enabled && !to.enabled) {
    return [
      change(pair, 'disabled', [from, to], whenGone(from, before, after, meetings), `disabled ${name(to)}`),
    ];
  }
  if (!from.enabled && to.enabled) {
    return [change(pair, 'enabled', [from, to], whenThere(to, after, meetings), `enabled ${name(to)}`)];
  }
  if (!to.enabled) {
    return [change(pair, 'words', [from, to], NO_EFFECT, `changed ${name(to)}, which is disabled`)];
  }
  if (from.kind !== to.kind) {
    const effect = both(whenGone(from, before, after, meetings), whenThere(to, after, meetings));
    // A counter that is kept under another kind begins anew.
    const anew = isLimit(from) || isLimit(to) ? { ...effect, loosens: true } : effect;
    return [change(pair, 'match', [from, to], anew, `made ${name(from)} a ${to.kind}`)];
  }
  const changes = [...matchChange(pair, from, to), ...effectChanges(pair, from, to)];
  if (changes.length > 0) return changes;
  return [change(pair, 'words', [from, to], NO_EFFECT, `changed the words of ${name(to)}`)];
}

function matchChange(pair: Pair, from: PlainRule, to: PlainRule): readonly FoundChange[] {
  if (same(from.match, to.match)) return [];
  const { before, after, meetings } = pair;
  const there = (): Effect => whenThere(to, after, meetings);
  const gone = (): Effect => whenGone(from, before, after, meetings);
  const told = (effect: Effect, what: string): readonly FoundChange[] => {
    const detail = matchText(from.match, to.match);
    return [{ ...change(pair, 'match', [from, to], effect, `${name(to)} matches ${what}`), detail }];
  };
  switch (matchReach(from.match, to.match, meetings.globs)) {
    case 'same':
      return told(NO_EFFECT, 'the same calls in other words');
    case 'wider':
      return told(reaching(there()), 'more calls');
    case 'narrower':
      return told(reaching(gone()), 'fewer calls');
    case 'other':
      return told(reaching(both(gone(), there())), 'other calls');
  }
}

function effectChanges(pair: Pair, from: PlainRule, to: PlainRule): readonly FoundChange[] {
  if (isLimit(from) && isLimit(to)) {
    return limitChanges(from, to).map(({ kind, field, from: old, to: fresh, verb, ...effect }) => {
      const values = `${valueText(old)} → ${valueText(fresh)}`;
      const text = `${verb} ${quoted(field)} of ${name(to)}: ${values}`;
      return { ...change(pair, kind, [to], effect, text), field, from: old, to: fresh };
    });
  }
  if (from.kind === 'allow' && to.kind === 'allow') return overrideChanges(pair, from, to);
  if (from.kind === 'tag' && to.kind === 'tag') return classChanges(pair, from, to);
  if (from.kind === 'deny' && to.kind === 'deny' && from.effect.hide !== to.effect.hide) {
    const hides = to.effect.hide === true;
    const effect: Effect = { ...NO_EFFECT, reach: true, why: 'calls are refused either way' };
    const text = hides ? `${name(to)} hides what it refuses` : `${name(to)} hides no more what it refuses`;
    return [change(pair, 'hide', [to], effect, text)];
  }
  return [];
}

function overrideChanges(pair: Pair, from: PlainRule, to: PlainRule): readonly FoundChange[] {
  const [old, fresh] = [overridesOf(from), overridesOf(to)];
  const more = fresh.filter((id) => !old.includes(id));
  const fewer = old.filter((id) => !fresh.includes(id));
  const told = (ids: readonly string[], verb: string, effect: Partial<Effect>): readonly FoundChange[] => {
    if (ids.length === 0) return [];
    const text = `${name(to)} ${verb} ${ids.map((id) => quoted(id)).join(', ')}`;
    return [change(pair, 'overrides', [to], { ...NO_EFFECT, ...effect, reach: true }, text)];
  };
  return [
    ...told(more, 'lifts', { loosens: true, why: 'what they refuse may pass' }),
    ...told(fewer, 'no longer lifts', { tightens: true, why: 'they may refuse' }),
  ];
}

function classChanges(pair: Pair, from: PlainTagRule, to: PlainTagRule): readonly FoundChange[] {
  const [old, fresh] = [from.effect.tag.add_risk_class, to.effect.tag.add_risk_class];
  const more = fresh.filter((one) => !old.includes(one));
  const fewer = old.filter((one) => !fresh.includes(one));
  if (more.length === 0 && fewer.length === 0) return [];
  const effect = both(
    classEffect(more, pair.after, pair.meetings),
    classesGone(fewer, pair.after, pair.meetings),
  );
  const words = [
    ...(more.length === 0 ? [] : [`gives ${more.map((one) => quoted(one)).join(', ')}`]),
    ...(fewer.length === 0 ? [] : [`no longer gives ${fewer.map((one) => quoted(one)).join(', ')}`]),
  ];
  return [change(pair, 'classes', [to], effect, `${name(to)} ${words.join(' and ')}`)];
}

function change(
  { after }: Pair,
  kind: ChangeKind,
  rules: readonly PlainRule[],
  effect: Effect,
  text: string,
): FoundChange {
  const rule_id = rules.at(-1)?.rule_id ?? null;
  return { kind, rule_id, text, affects: callsOf(after, ...rules), ...effect };
}

function reaching(effect: Effect): Effect {
  return { ...effect, reach: true };
}

function valueText(value: JsonValue): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : canonicalize(value);
}

function same(a: unknown, b: unknown): boolean {
  return canonicalize(a) === canonicalize(b);
}

/** A rule as lines name it. */
export function name(rule: PlainRule): string {
  return `${rule.kind} ${quoted(rule.rule_id)}`;
}
