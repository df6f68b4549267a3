import type { JsonObject } from '@subluminal/core-types';
import { addAmounts, MAX_UNITS, NOTHING, subtractAmounts } from './amount.js';
import { RuleBucket, type Refill } from './rule-bucket.js';
import {
  type BreakerItem,
  type CallEnd,
  type Charge,
  type ChargeItem,
  type DedupeItem,
  groupOf,
} from './charge.js';
import type { BudgetMeter, Groups } from './groups.js';
import { Ring } from './ring.js';
import { type MeterBounds, type MeterCount, Scoped } from './scoped.js';
import { type AllGroups, readState, writeState } from './state-data.js';
import { type EntryCount, errorPlaces, spareIn, Windows } from './windows.js';

/** The bounds of the state of one run. */
export interface StateBounds {
  /** Meters of one rule; further scope keys share one. Default 4,096. */
  readonly metersPerRule: number;
  /** Meters of all rules. Default 65,536. */
  readonly meters: number;
  /** Events in windows of repeats and duplicates. Default 65,536. */
  readonly entries: number;
}

const BOUNDS: StateBounds = { metersPerRule: 4096, meters: 65_536, entries: 65_536 };

/**
 * The counts of the limits of a policy for one run. Bounded; it never forgets what still binds. `decide`
 * reads it and never writes it; whoever decides applies the charge right behind, before anything else is
 * decided. Times never go back: a clock that does counts as standing still.
 */
export class PolicyState {
  readonly #bounds: MeterBounds;
  readonly #count: MeterCount = { used: 0 };
  readonly #entries: EntryCount;
  readonly #budgets: Groups<Scoped<BudgetMeter>> = new Map();
  readonly #buckets: Groups<Scoped<RuleBucket>> = new Map();
  readonly #errors: Groups<Scoped<Ring>> = new Map();
  readonly #repeats: Groups<Windows> = new Map();
  readonly #duplicates: Groups<Windows> = new Map();
  /** When charges were applied that may still be reverted. */
  readonly #applied = new WeakMap<Charge, number>();
  #now = 0;

  private constructor(bounds: StateBounds) {
    this.#bounds = { perRule: bounds.metersPerRule, total: bounds.meters };
    this.#entries = { used: 0, max: bounds.entries };
  }

  /** The state before the first call of a run. */
  static empty(bounds: Partial<StateBounds> = {}): PolicyState {
    return new PolicyState({ ...BOUNDS, ...bounds });
  }

  /** Reserves what a call takes. Synchronous, right behind the decision. */
  apply(charge: Charge, now: number): void {
    const time = this.#advance(now);
    if (charge.length === 0) return;
    for (const item of charge) this.#applyItem(item, time);
    this.#applied.set(charge, time);
  }

  /**
   * Undoes the last `apply` of this charge exactly. Only for a call that is decided again under another
   * policy; a call that was carried out is never given back.
   */
  revert(charge: Charge): void {
    const time = this.#applied.get(charge);
    if (time === undefined) return;
    this.#applied.delete(charge);
    for (const item of charge) this.#revertItem(item, time);
  }

  /** Counts the end of a call: errors and slow calls, for breakers. Nothing is given back. */
  settle(charge: Charge, end: CallEnd, now: number): void {
    const time = this.#advance(now);
    for (const item of charge) if (item.kind === 'breaker' && isError(item, end)) this.#addError(item, time);
  }

  /** Lets go of what no longer binds. */
  prune(now: number): void {
    const time = this.#advance(now);
    for (const group of this.#buckets.values()) group.release((bucket) => bucket.isFull(time), this.#count);
    for (const group of this.#errors.values()) this.#releaseErrors(group, time);
    for (const group of this.#repeats.values()) group.dropAll(time, this.#entries);
    for (const group of this.#duplicates.values()) group.dropAll(time, this.#entries);
    for (const groups of [this.#buckets, this.#errors, this.#repeats, this.#duplicates]) {
      for (const [id, group] of groups) if (group.isEmpty) groups.delete(id);
    }
  }

  /** The state as data, from which `fromJSON` makes an equal one. */
  toJSON(): JsonObject {
    return writeState(this.#now, this.#groups, 'all');
  }

  /**
   * The same without the events that no threshold of now needs: shorter, and enough for who decides by no
   * other policy.
   */
  needed(): JsonObject {
    return writeState(this.#now, this.#groups, 'needed');
  }

  /** @throws SublError `policy_invalid` for anything that `toJSON` does not give. */
  static fromJSON(value: unknown, bounds: Partial<StateBounds> = {}): PolicyState {
    const state = PolicyState.empty(bounds);
    state.#now = readState(value, {
      bounds: state.#bounds,
      count: state.#count,
      entries: state.#entries,
      groups: state.#groups,
    });
    return state;
  }

  /** The time that counts for a call at `now`: never before the last one seen. */
  timeOf(now: number): number {
    return Math.max(now, this.#now);
  }

  /** The counts of a budget under a key; for `decide`, like everything that follows. */
  budget(group: string, key: string): BudgetMeter | undefined {
    return this.#budgets.get(group)?.find(key);
  }

  /** The parts of a token that a bucket lacks. */
  deficit(group: string, key: string, refill: Refill, time: number): number {
    return this.#buckets.get(group)?.find(key)?.deficit(time, refill) ?? 0;
  }

  /** The errors that a breaker has counted under a key. */
  errors(group: string, key: string): Ring | undefined {
    return this.#errors.get(group)?.find(key);
  }

  /** The attempts that a breaker has counted of one call. */
  repeats(group: string, entry: string): Ring | undefined {
    return this.#repeats.get(group)?.find(entry);
  }

  /** When a dedupe last let one call pass. */
  duplicates(group: string, entry: string): Ring | undefined {
    return this.#duplicates.get(group)?.find(entry);
  }

  /** Whether so many more events find room, once what no longer binds is gone. */
  hasRoom(places: number, time: number): boolean {
    let missing = this.#entries.used + places - this.#entries.max;
    if (missing <= 0) return true;
    for (const groups of [this.#repeats, this.#duplicates]) {
      for (const windows of groups.values()) {
        missing -= windows.freeable(time, missing);
        if (missing <= 0) return true;
      }
    }
    return false;
  }

  /** How many events a window keeps that no threshold needs now. */
  get spare(): number {
    return spareIn(this.#entries);
  }

  get #groups(): AllGroups {
    return {
      budgets: this.#budgets,
      buckets: this.#buckets,
      errors: this.#errors,
      repeats: this.#repeats,
      duplicates: this.#duplicates,
    };
  }

  #advance(now: number): number {
    this.#now = Math.max(now, this.#now);
    return this.#now;
  }

  #applyItem(item: ChargeItem, time: number): void {
    const group = groupOf(item.scope, item.rule_id);
    switch (item.kind) {
      case 'budget': {
        const meter = groupIn(this.#budgets, group, newScoped<BudgetMeter>).take(
          item.key,
          newBudget,
          this.#bounds,
          this.#count,
        );
        meter.calls += 1;
        meter.writes += item.isWrite ? 1 : 0;
        meter.cost = addAmounts(meter.cost, item.cost);
        return;
      }
      case 'rate_limit':
        groupIn(this.#buckets, group, newScoped<RuleBucket>)
          .take(item.key, newBucket, this.#bounds, this.#count)
          .take(item.tokens, item, time);
        return;
      case 'breaker': {
        if (item.repeat_threshold > 0) {
          const shape = { keep: item.repeat_threshold, windowMs: item.repeat_window_ms };
          this.#push(groupIn(this.#repeats, group, newWindows), item.entry, shape, time);
        }
        this.#mark(item, item.repeatsOpen, item.errorsOpen);
        return;
      }
      case 'dedupe': {
        const shape = { keep: 1, windowMs: item.window_ms };
        this.#push(groupIn(this.#duplicates, group, newWindows), item.entry, shape, time);
      }
    }
  }

  #revertItem(item: ChargeItem, time: number): void {
    const group = groupOf(item.scope, item.rule_id);
    switch (item.kind) {
      case 'budget': {
        const meters = this.#budgets.get(group);
        const meter = meters?.find(item.key);
        if (meters === undefined || meter === undefined) return;
        meter.calls -= 1;
        meter.writes -= item.isWrite ? 1 : 0;
        // At the largest amount it is not known how much of the cost was counted.
        if (meter.cost.units < MAX_UNITS) meter.cost = subtractAmounts(meter.cost, item.cost);
        meters.releaseOne(item.key, ({ calls }) => calls === 0, this.#count);
        dropEmpty(this.#budgets, group);
        return;
      }
      case 'rate_limit': {
        const meters = this.#buckets.get(group);
        meters?.find(item.key)?.giveBack(item.tokens, time);
        meters?.releaseOne(item.key, (bucket) => bucket.isUntouched, this.#count);
        dropEmpty(this.#buckets, group);
        return;
      }
      case 'breaker':
        if (item.repeat_threshold > 0) this.#repeats.get(group)?.remove(item.entry, time, this.#entries);
        this.#mark(item, item.repeatsWereOpen, item.errorsWereOpen);
        dropEmpty(this.#repeats, group);
        return;
      case 'dedupe':
        this.#removeDuplicate(item, group, time);
    }
  }

  #removeDuplicate(item: DedupeItem, group: string, time: number): void {
    this.#duplicates.get(group)?.remove(item.entry, time, this.#entries);
    dropEmpty(this.#duplicates, group);
  }

  /** Remembers whether the breaker is open, so that it trips once and not with every attempt. */
  #mark(item: BreakerItem, repeatsOpen: boolean, errorsOpen: boolean): void {
    const group = groupOf(item.scope, item.rule_id);
    const repeats = this.repeats(group, item.entry);
    if (repeats !== undefined) repeats.open = repeatsOpen;
    const errors = this.errors(group, item.key);
    if (errors !== undefined) errors.open = errorsOpen;
  }

  #push(windows: Windows, entry: string, shape: { keep: number; windowMs: number }, time: number): void {
    if (windows.push(entry, shape, time, this.#entries)) return;
    for (const groups of [this.#repeats, this.#duplicates]) {
      for (const group of groups.values()) group.dropOldest(time, this.#entries);
    }
    // `decide` refuses a call for which there is no room, so that this finds it.
    windows.push(entry, shape, time, this.#entries);
  }

  #addError(item: BreakerItem, time: number): void {
    const group = groupIn(this.#errors, groupOf(item.scope, item.rule_id), newScoped<Ring>);
    const make = (): Ring => new Ring(item.error_threshold, item.window_ms);
    const ring = group.take(item.key, make, this.#bounds, this.#count);
    ring.keep = item.error_threshold;
    ring.windowMs = item.window_ms;
    const before = errorPlaces(ring);
    const spare = spareIn(this.#entries);
    ring.push(time, this.#entries.used + ring.growsBy(time, spare) <= this.#entries.max, spare);
    this.#entries.used += errorPlaces(ring) - before;
  }

  #releaseErrors(group: Scoped<Ring>, time: number): void {
    group.release((ring) => {
      const isDone = ring.isExpired(time);
      if (isDone) this.#entries.used -= errorPlaces(ring);
      return isDone;
    }, this.#count);
  }
}

function isError(item: BreakerItem, { status, latency_ms }: CallEnd): boolean {
  if (item.error_threshold === 0) return false;
  if (status === 'ERROR' || status === 'TIMEOUT') return true;
  return item.latency_threshold_ms > 0 && latency_ms > item.latency_threshold_ms;
}

function groupIn<Of>(groups: Groups<Of>, id: string, make: () => Of): Of {
  const found = groups.get(id);
  if (found !== undefined) return found;
  const group = make();
  groups.set(id, group);
  return group;
}

function dropEmpty(groups: Groups<{ readonly isEmpty: boolean }>, id: string): void {
  if (groups.get(id)?.isEmpty === true) groups.delete(id);
}

function newScoped<Meter>(): Scoped<Meter> {
  return new Scoped();
}

function newWindows(): Windows {
  return new Windows();
}

function newBudget(): BudgetMeter {
  return { calls: 0, writes: 0, cost: NOTHING };
}

function newBucket(): RuleBucket {
  return new RuleBucket();
}
