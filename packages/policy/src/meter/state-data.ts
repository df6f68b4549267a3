import { type JsonObject, type JsonValue, SublError } from '@subluminal/core-types';
import { isSameJson } from '../snapshot/same-json.js';
import { isCount } from './amount.js';
import { RuleBucket } from './rule-bucket.js';
import { type Groups, type BudgetMeter } from './groups.js';
import { Ring } from './ring.js';
import { type MeterBounds, type MeterCount, Scoped } from './scoped.js';
import { type EntryCount, errorPlaces, Windows } from './windows.js';

/** All meters of a run. */
export interface AllGroups {
  readonly budgets: Groups<Scoped<BudgetMeter>>;
  readonly buckets: Groups<Scoped<RuleBucket>>;
  readonly errors: Groups<Scoped<Ring>>;
  readonly repeats: Groups<Windows>;
  readonly duplicates: Groups<Windows>;
}

/** Where a state is read into. */
export interface StateTarget {
  readonly groups: AllGroups;
  readonly bounds: MeterBounds;
  readonly count: MeterCount;
  readonly entries: EntryCount;
}

type Row = readonly unknown[];

const KINDS = ['budgets', 'buckets', 'duplicates', 'errors', 'repeats'] as const;

/** The state as data: for each kind the groups of meters by scope and rule, for each of those its rows. */
export function writeState(now: number, groups: AllGroups, events: 'all' | 'needed'): JsonObject {
  const ringRow = (ring: Ring): readonly number[] => [
    ring.keep,
    ring.windowMs,
    ring.open ? 1 : 0,
    ...(events === 'all' ? ring.toJSON() : ring.needed()),
  ];
  const windowRows = (windows: Windows): readonly JsonValue[] =>
    [...windows.entries()].map(([entry, ring]) => [entry, ...ringRow(ring)]);
  return {
    budgets: write(groups.budgets, (scoped) => rowsOf(scoped, budgetRow)),
    buckets: write(groups.buckets, (scoped) => rowsOf(scoped, (bucket) => bucket.toJSON())),
    duplicates: write(groups.duplicates, windowRows),
    errors: write(groups.errors, (scoped) => rowsOf(scoped, ringRow)),
    now,
    repeats: write(groups.repeats, windowRows),
    v: 1,
  };
}

/**
 * Reads what `writeState` gave, and gives its time.
 *
 * @throws SublError `policy_invalid` for everything else.
 */
export function readState(value: unknown, target: StateTarget): number {
  const { now, v, ...kinds } = recordOf(value);
  if (v !== 1 || !isCount(now) || Object.keys(kinds).length !== KINDS.length) throw invalid();
  const { groups, bounds, count, entries } = target;
  read(kinds['budgets'], groups.budgets, scopedReader(budgetFrom, bounds, count));
  read(kinds['buckets'], groups.buckets, scopedReader(bucketFrom, bounds, count));
  read(kinds['errors'], groups.errors, (rows) => {
    const scoped = scopedReader(ringFrom, bounds, count)(rows);
    for (const [, ring] of scoped.entries()) entries.used += errorPlaces(ring);
    return scoped;
  });
  read(kinds['repeats'], groups.repeats, windowsReader(entries));
  read(kinds['duplicates'], groups.duplicates, windowsReader(entries));
  // Whatever is left of doubt (repetitions, other orders, forms that mean the same) is not what was written.
  if (!isSameJson(value, writeState(now, groups, 'all'))) throw invalid();
  return now;
}

function write<Of>(groups: Groups<Of>, rows: (group: Of) => readonly JsonValue[]): JsonValue {
  return [...groups].map(([id, group]) => [id, rows(group)]);
}

function read<Of>(value: unknown, groups: Groups<Of>, group: (rows: readonly Row[]) => Of): void {
  for (const pair of rowsIn(value)) {
    const [id, rows] = pair;
    if (
      pair.length !== 2 ||
      typeof id !== 'string' ||
      !/^(?:own_|project_)?(?:run|tool|server_tool):./s.test(id)
    )
      throw invalid();
    if (groups.has(id)) throw invalid();
    groups.set(id, group(rowsIn(rows)));
  }
}

function rowsOf<Meter>(
  scoped: Scoped<Meter>,
  row: (meter: Meter) => readonly JsonValue[],
): readonly JsonValue[] {
  return [...scoped.entries()].map(([key, meter]) => [key, ...row(meter)]);
}

function scopedReader<Meter>(
  meterFrom: (numbers: readonly number[]) => Meter,
  bounds: MeterBounds,
  count: MeterCount,
): (rows: readonly Row[]) => Scoped<Meter> {
  return (rows) => {
    const scoped = new Scoped<Meter>();
    for (const [key, ...numbers] of rows) {
      if (typeof key !== 'string' && key !== null) throw invalid();
      if (!scoped.restore(key, meterFrom(countsIn(numbers)), bounds, count)) throw invalid();
    }
    return scoped;
  };
}

function windowsReader(entries: EntryCount): (rows: readonly Row[]) => Windows {
  return (rows) => {
    const windows = new Windows();
    for (const [entry, ...numbers] of rows) {
      if (typeof entry !== 'string' || !windows.restore(entry, ringFrom(countsIn(numbers)), entries)) {
        throw invalid();
      }
    }
    return windows;
  };
}

function budgetRow({ calls, writes, cost }: BudgetMeter): readonly number[] {
  return [calls, writes, cost.units, cost.micros];
}

function budgetFrom([calls, writes, units, micros, ...rest]: readonly number[]): BudgetMeter {
  if (calls === undefined || writes === undefined || units === undefined || micros === undefined)
    throw invalid();
  if (rest.length > 0 || micros > 999_999 || writes > calls) throw invalid();
  return { calls, writes, cost: { units, micros } };
}

function bucketFrom([deficit, period, refill, at, ...rest]: readonly number[]): RuleBucket {
  if (deficit === undefined || period === undefined || refill === undefined || at === undefined)
    throw invalid();
  if (rest.length > 0 || period === 0) throw invalid();
  return RuleBucket.fromJSON([deficit, period, refill, at]);
}

function ringFrom([keep, windowMs, open, ...flat]: readonly number[]): Ring {
  if (keep === undefined || windowMs === undefined || open === undefined) throw invalid();
  if (keep === 0 || windowMs === 0 || open > 1 || flat.length === 0 || flat.length % 2 === 1) throw invalid();
  for (let at = 0; at < flat.length; at += 2) {
    if (flat[at + 1] === 0 || (at > 0 && (flat[at] ?? 0) <= (flat[at - 2] ?? 0))) throw invalid();
  }
  const ring = new Ring(keep, windowMs);
  ring.open = open === 1;
  ring.restore(flat);
  return ring;
}

function rowsIn(value: unknown): readonly Row[] {
  if (!Array.isArray(value)) throw invalid();
  return value.map((row: unknown) => {
    if (!Array.isArray(row)) throw invalid();
    return row;
  });
}

function countsIn(values: readonly unknown[]): readonly number[] {
  return values.map((value) => {
    if (!isCount(value)) throw invalid();
    return value;
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  return { ...value };
}

function invalid(): SublError {
  return new SublError('policy_invalid', 'what limits have counted cannot be read');
}
