import type { PlainRule } from '../snapshot/plain.js';
import { callsOf } from './affected.js';
import { both, type Effect, type FoundChange, NO_EFFECT, undone } from './change.js';
import { classEffect, looksAt } from './classes.js';
import { endsRuns, overridesOf, refuses } from './parts.js';
import { name, type Pair } from './rules.js';

/** Comparing every pair of two long lists would take minutes; beyond this the order is taken to matter. */
const MAX_PAIRS = 1_000_000;

interface Kept {
  readonly from: PlainRule;
  readonly to: PlainRule;
}

/** The rules that changed places with others, and what that means where the order of the two matters. */
export function orderChanges(pair: Pair): readonly FoundChange[] {
  const { before, after } = pair;
  const old = new Map(before.rules.map((rule, at) => [rule.rule_id, { rule, at }]));
  const kept: Kept[] = [];
  const places: number[] = [];
  for (const to of after.rules) {
    const from = old.get(to.rule_id);
    if (from === undefined || !to.enabled || !from.rule.enabled) continue;
    kept.push({ from: from.rule, to });
    places.push(from.at);
  }
  const moved = movedOf(places);
  if (moved.length === 0) return [];
  if (moved.length * kept.length > MAX_PAIRS) {
    const effect: Effect = {
      loosens: true,
      tightens: true,
      reach: true,
      why: 'too many rules moved to tell more',
    };
    const text = 'the order of the rules changed';
    return [{ kind: 'moved', rule_id: null, text, affects: callsOf(after, ...after.rules), ...effect }];
  }
  return moved.flatMap((at) => moveOf(pair, kept, places, at));
}

function moveOf(
  pair: Pair,
  kept: readonly Kept[],
  places: readonly number[],
  at: number,
): readonly FoundChange[] {
  const rule = kept[at];
  const place = places[at];
  if (rule === undefined || place === undefined) return [];
  let effect = NO_EFFECT;
  for (const [index, other] of kept.entries()) {
    const was = places[index] ?? place;
    if (index < at && was > place) effect = both(effect, swapped(pair, rule, other));
    if (index > at && was < place) effect = both(effect, swapped(pair, other, rule));
  }
  const without = effect.loosens || effect.tightens ? '' : ', without effect on what passes';
  const up = kept.some((_, index) => index > at && (places[index] ?? place) < place);
  const text = `moved ${name(rule.to)} ${up ? 'up' : 'down'}${without}`;
  const affects = callsOf(pair.after, rule.to);
  return [{ kind: 'moved', rule_id: rule.to.rule_id, text, affects, ...effect }];
}

/** The effect of `lower` being above `upper` now. */
function swapped({ before, after, meetings }: Pair, upper: Kept, lower: Kept): Effect {
  const [a, b] = [upper.to, lower.to];
  if (!mayMatter(upper, lower)) return NO_EFFECT;
  const meet =
    meetings.meet(upper.from.match, lower.from.match) || meetings.meet(upper.to.match, lower.to.match);
  if (!meet) return NO_EFFECT;
  const names = `${name(b)} comes before ${name(a)}`;
  let effect = NO_EFFECT;
  const add = (more: Partial<Effect>): void => {
    effect = both(effect, { ...NO_EFFECT, reach: true, why: names, ...more });
  };
  if (stops(a) && b.kind === 'allow') add({ loosens: true });
  if (a.kind === 'allow' && stops(b)) add({ tightens: true });
  if (a.kind === 'allow' && b.kind === 'allow') {
    if (overridesOf(b).length > 0) add({ loosens: true });
    if (overridesOf(a).length > 0) add({ tightens: true });
  }
  if (endsRuns(a) && refuses(b) && !endsRuns(b)) add({ loosens: true });
  if (endsRuns(b) && refuses(a) && !endsRuns(a)) add({ tightens: true });
  if (a.kind === 'tag') {
    const lost = a.effect.tag.add_risk_class.filter((one) => looksAt(b, one) || looksAt(lower.from, one));
    if (lost.length > 0)
      effect = both(effect, { ...undone(classEffect(lost, before, meetings)), why: names });
  }
  if (b.kind === 'tag') {
    const won = b.effect.tag.add_risk_class.filter((one) => looksAt(a, one) || looksAt(upper.from, one));
    if (won.length > 0) effect = both(effect, { ...classEffect(won, after, meetings), why: names });
  }
  return effect;
}

/** Whether the order of two such rules can matter at all. */
function mayMatter(upper: Kept, lower: Kept): boolean {
  const [a, b] = [upper.to, lower.to];
  if (a.kind === 'tag' || b.kind === 'tag') return givesTo(a, lower) || givesTo(b, upper);
  if (endsRuns(a) !== endsRuns(b)) return true;
  if (a.kind === 'allow' && b.kind === 'allow') return overridesOf(a).length + overridesOf(b).length > 0;
  return a.kind !== b.kind && (a.kind === 'allow' || b.kind === 'allow');
}

/** Whether a tag gives a class that another rule looks at, or looked at. */
function givesTo(tag: PlainRule, { from, to }: Kept): boolean {
  if (tag.kind !== 'tag') return false;
  return tag.effect.tag.add_risk_class.some((one) => looksAt(to, one) || looksAt(from, one));
}

/**
 * The indexes outside of a longest run of rising places: the fewest rules whose move explains the new order.
 */
function movedOf(places: readonly number[]): readonly number[] {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, place] of places.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[ends[middle] ?? 0] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = at;
  }
  const stays = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) stays.add(at);
  return places.flatMap((_, at) => (stays.has(at) ? [] : [at]));
}

/** Whether an allow above keeps the rule from being asked. */
function stops({ kind }: PlainRule): boolean {
  return kind === 'deny' || kind === 'ask';
}
