import * as z from 'zod';
import type { WindowClosed } from '../entries.js';
import type { Terms } from '../window/terms.js';

/** Windows that a row remembers, the newest ones. */
const MOST_WINDOWS = 64;

/** Fewer windows than this say nothing yet. */
const ENOUGH = 20;

/** Rows that are kept; the one that learnt least recently makes room. */
const MOST_ROWS = 256;

/** Nine windows of ten are no longer than what is learnt. */
const SHARE = 0.9;

/** A learnt value stays within this of the static one. */
const LEAST = 0.5;
export const MOST = 3;

const row = z.strictObject({
  key: z.string().max(64),
  actions: z.array(z.int().min(0)).max(MOST_WINDOWS),
  ms: z.array(z.int().min(0)).max(MOST_WINDOWS),
});

/** The usual length of windows, by repository, kind of task and mix of tools. */
export const baselinesSchema = z.strictObject({ rows: z.array(row).max(MOST_ROWS) });

export type Baselines = Readonly<z.infer<typeof baselinesSchema>>;

/** Nothing has been learnt. */
export const NO_BASELINES: Baselines = { rows: [] };

/** The part of a closed window that says which row it belongs to. */
export type BaselineKey = Pick<WindowClosed, 'mix' | 'repository' | 'task'>;

/**
 * The same with one window more. A window counts if nothing that is learnt here could have ended it: it
 * belongs to the hold-out, and a boundary closed it.
 */
export function learnt(baselines: Baselines, closed: WindowClosed): Baselines {
  if (!closed.held_out || closed.by !== 'boundary' || closed.actions === 0) return baselines;
  const key = nameOf(closed);
  const old = baselines.rows.find((one) => one.key === key) ?? { key, actions: [], ms: [] };
  const others = baselines.rows.filter((one) => one.key !== key);
  return {
    rows: [
      ...others.slice(-(MOST_ROWS - 1)),
      {
        key,
        actions: [...old.actions, closed.actions].slice(-MOST_WINDOWS),
        ms: [...old.ms, closed.ms].slice(-MOST_WINDOWS),
      },
    ],
  };
}

/** Without what was learnt for a key; without a key nothing is left. */
export function forgotten(baselines: Baselines, key?: BaselineKey): Baselines {
  if (key === undefined) return NO_BASELINES;
  const name = nameOf(key);
  return { rows: baselines.rows.filter((one) => one.key !== name) };
}

/** How many windows a row has seen, and the terms that follow; undefined while they are too few. */
export function termsOf(baselines: Baselines, key: BaselineKey, fixed: Terms): Terms | undefined {
  const name = nameOf(key);
  const found = baselines.rows.find((one) => one.key === name);
  if (found === undefined || found.actions.length < ENOUGH) return undefined;
  return {
    actions: within(atShare(found.actions), fixed.actions),
    ms: within(atShare(found.ms), fixed.ms),
  };
}

function nameOf({ mix, repository, task }: BaselineKey): string {
  return `${repository} ${task} ${mix}`;
}

function atShare(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * SHARE) - 1] ?? 0;
}

function within(value: number, fixed: number): number {
  return Math.round(Math.min(fixed * MOST, Math.max(fixed * LEAST, value)));
}
