import { describe, expect, it } from 'vitest';
import type { WindowClosed } from '../entries.js';
import { work } from '../../testing/events.js';
import { foldAll } from '../fold.js';
import { DEFAULT_SETTINGS } from '../settings.js';
import { startOfState } from '../state.js';
import { STATIC_TERMS } from '../window/terms.js';
import { type Baselines, baselinesSchema, forgotten, learnt, NO_BASELINES, termsOf } from './baseline.js';

const KEY = { repository: 'r', task: 'change', mix: 'changing' } as const;

const closed = (more: Partial<WindowClosed> = {}): WindowClosed => ({
  type: 'plane.window',
  what: 'closed',
  window: 1,
  by: 'boundary',
  tier: 'ordinary',
  actions: 40,
  ms: 600_000,
  ...KEY,
  held_out: true,
  ...more,
});

const after = (windows: readonly WindowClosed[]): Baselines => windows.reduce(learnt, NO_BASELINES);

const lengths = (count: number, of: (at: number) => number): readonly WindowClosed[] =>
  Array.from({ length: count }, (_, at) => closed({ actions: of(at) }));

describe('a baseline', () => {
  it('is static until twenty windows were left to run', () => {
    expect(termsOf(after(lengths(19, () => 40)), KEY, STATIC_TERMS.ordinary)).toBeUndefined();
    expect(termsOf(after(lengths(20, () => 40)), KEY, STATIC_TERMS.ordinary)).toEqual({
      actions: 40,
      ms: 600_000,
    });
  });

  it('is the length that nine windows of ten keep, within half and three times the static one', () => {
    const of = (windows: readonly WindowClosed[]): number | undefined =>
      termsOf(after(windows), KEY, STATIC_TERMS.ordinary)?.actions;
    expect(of(lengths(20, (at) => 31 + at))).toBe(48);
    expect(of(lengths(20, () => 2))).toBe(30);
    expect(of(lengths(20, () => 5000))).toBe(180);
  });

  it('takes no window that was steered, nor one that its own backstop or the end of a session cut off', () => {
    for (const more of [{ held_out: false }, { by: 'backstop' }, { by: 'end' }, { actions: 0 }] as const)
      expect(learnt(NO_BASELINES, closed(more))).toEqual(NO_BASELINES);
  });

  it('is of one repository, kind of task and mix of tools', () => {
    const known = after(lengths(20, () => 40));
    for (const more of [{ repository: 'q' }, { task: 'check' }, { mix: 'mixed' }] as const)
      expect(termsOf(known, { ...KEY, ...more }, STATIC_TERMS.ordinary)).toBeUndefined();
  });

  it('can be read, and taken back for one key or for all', () => {
    const known = after([...lengths(20, () => 40), closed({ repository: 'q' })]);
    expect(known.rows.map(({ actions, key }) => [key, actions.length])).toEqual([
      ['r change changing', 20],
      ['q change changing', 1],
    ]);
    expect(forgotten(known, KEY).rows.map(({ key }) => key)).toEqual(['q change changing']);
    expect(forgotten(known)).toEqual(NO_BASELINES);
  });

  it('remembers 64 windows of 256 keys, the newest', () => {
    const names = [
      ...Array.from({ length: 19_000 }, (_, at) => at % 250),
      ...Array.from({ length: 1000 }, (_, at) => at),
    ];
    const known = after(names.map((name, at) => closed({ repository: `r${name}`, actions: at + 1 })));
    expect(baselinesSchema.safeParse(known).success).toBe(true);
    expect(known.rows).toHaveLength(256);
    expect(known.rows.at(-1)?.actions.at(-1)).toBe(20_000);
    expect(known.rows[0]?.key).toBe('r744 change changing');
    expect(after(lengths(100, (at) => at + 1)).rows[0]?.actions).toEqual(
      Array.from({ length: 64 }, (_, at) => at + 37),
    );
  });

  it('does not drift when steering shortens the windows that are steered, as one that took them would', () => {
    // Windows take 50 actions by themselves; those that were steered end at half of the budget then in force.
    let [clean, taken] = [NO_BASELINES, NO_BASELINES];
    const budgets: number[] = [];
    const drifted: number[] = [];
    for (let round = 0; round < 400; round += 1) {
      const isHeldOut = round % 5 === 0;
      const natural = 46 + (round % 9);
      const budget = termsOf(clean, KEY, STATIC_TERMS.ordinary)?.actions ?? STATIC_TERMS.ordinary.actions;
      const other = termsOf(taken, KEY, STATIC_TERMS.ordinary)?.actions ?? STATIC_TERMS.ordinary.actions;
      const steered = (limit: number): number => Math.min(natural, Math.ceil(limit / 2));
      clean = learnt(clean, closed({ held_out: isHeldOut, actions: isHeldOut ? natural : steered(budget) }));
      taken = learnt(taken, closed({ held_out: true, actions: steered(other) }));
      budgets.push(budget);
      drifted.push(other);
    }
    expect(budgets.slice(-50).every((budget) => budget >= 50 && budget <= 54)).toBe(true);
    expect(drifted.at(-1)).toBe(30);
  });

  it('shortens windows of what is steered, and none of the hold-out', () => {
    const start = startOfState({ client: 'c', session: 's', repository: 'r', agent: '' }, '');
    const known = after(
      Array.from({ length: 20 }, () => closed({ repository: start.repository, actions: 35, ms: 900_000 })),
    );
    const first = (isHeldOut: boolean): number | undefined => {
      const { entries } = foldAll({ ...start, isHeldOut }, work('e'.repeat(400)), {
        ...DEFAULT_SETTINGS,
        baselines: known,
      });
      const end = entries.find((entry) => entry.type === 'plane.window' && entry.what === 'closed');
      return end?.type === 'plane.window' && end.what === 'closed' ? end.actions : undefined;
    };
    expect([first(false), first(true)]).toEqual([35, 180]);
  });
});
