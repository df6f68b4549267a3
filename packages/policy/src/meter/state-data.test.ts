import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeData, chargeFrom } from './charge-data.js';
import type { ChargeItem } from './charge.js';
import { PolicyState } from './policy-state.js';

const common = { rule_id: 'r', scope: 'tool', key: 'a' } as const;
const ITEMS: readonly ChargeItem[] = [
  { ...common, kind: 'budget', isWrite: true, cost: { units: 3, micros: 500_000 } },
  { ...common, kind: 'rate_limit', tokens: 2, refill_tokens: 1, refill_period_ms: 1000 },
  {
    ...common,
    kind: 'breaker',
    entry: 'h a',
    repeat_threshold: 2,
    repeat_window_ms: 1000,
    error_threshold: 2,
    window_ms: 1000,
    latency_threshold_ms: 0,
    repeatsOpen: false,
    errorsOpen: true,
    repeatsWereOpen: true,
    errorsWereOpen: false,
  },
  { ...common, kind: 'dedupe', entry: 'h a', window_ms: 1000 },
];

function used(): PolicyState {
  const state = PolicyState.empty();
  state.apply(ITEMS, 1000);
  state.settle(ITEMS, { status: 'ERROR', latency_ms: 1 }, 1001);
  return state;
}

const copy = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value));
const refused = expect.objectContaining({ code: 'policy_invalid' });

describe('a state as data', () => {
  it('gives an equal state', () => {
    expect(PolicyState.fromJSON(copy(used())).toJSON()).toEqual(used().toJSON());
    expect(PolicyState.fromJSON(PolicyState.empty().toJSON()).toJSON()).toEqual(PolicyState.empty().toJSON());
  });

  it.each<[string, (data: Record<string, unknown>) => unknown]>([
    ['nothing', () => undefined],
    ['a list', () => []],
    ['another version', (data) => ({ ...data, v: 2 })],
    ['a time before the beginning', (data) => ({ ...data, now: -1 })],
    ['a field more', (data) => ({ ...data, more: [] })],
    ['a field less', (data) => ({ ...data, budgets: undefined })],
    ['a group twice', (data) => ({ ...data, budgets: [...list(data, 'budgets'), ...list(data, 'budgets')] })],
    ['a scope that is none', (data) => text(data, '"tool:r"', '"server:r"')],
    ['no rule', (data) => text(data, '"tool:r"', '"tool:"')],
    ['a negative count', (data) => text(data, '[["a",1,1,3,500000]]', '[["a",-1,1,3,500000]]')],
    ['a count that is none', (data) => text(data, '[["a",1,1,3,500000]]', '[["a",1.5,1,3,500000]]')],
    ['a text for a count', (data) => text(data, '[["a",1,1,3,500000]]', '[["a","1",1,3,500000]]')],
    ['more writes than calls', (data) => text(data, '[["a",1,1,3,500000]]', '[["a",1,2,3,500000]]')],
    ['a key twice', (data) => text(data, '[["a",1,1,3,500000]]', '[["a",1,1,3,500000],["a",1,1,3,500000]]')],
    ['too many millionths', (data) => text(data, '500000', '1000000')],
    ['events that go back', (data) => text(data, '2,1000,0,1001,1', '2,1000,0,1001,1,1000,1')],
    ['an event that never happened', (data) => text(data, '2,1000,0,1001,1', '2,1000,0,1001,0')],
  ])('is refused where it is %s', (_name, change) => {
    const data = copy(used());
    const changed = change(data);
    expect(changed).not.toEqual(data);
    expect(() => PolicyState.fromJSON(changed)).toThrow(refused);
  });

  it('is refused where it holds more than there is room for', () => {
    expect(() => PolicyState.fromJSON(used().toJSON(), { meters: 1 })).toThrow(refused);
    expect(() => PolicyState.fromJSON(used().toJSON(), { entries: 1 })).toThrow(refused);
  });

  it('never throws anything else, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ v: fc.constant(1), now: fc.nat(), budgets: fc.anything() })),
        (value) => {
          for (const read of [(): unknown => PolicyState.fromJSON(value), (): unknown => chargeFrom(value)]) {
            try {
              read();
            } catch (error) {
              expect(error).toMatchObject({ code: 'policy_invalid' });
            }
          }
        },
      ),
    );
  });
});

describe('a charge as data', () => {
  it('gives an equal charge, with each key once', () => {
    const data = copy(chargeData(ITEMS));
    expect(chargeFrom(data)).toEqual(ITEMS);
    expect(data['keys']).toEqual(['a', 'h a']);
    expect(chargeFrom(chargeData([]))).toEqual([]);
  });

  it.each([
    ['"tool"', { items: [['budget', 'r', 9, 0, 0, 1, 0]], keys: ['a'] }],
    ['no key', { items: [['budget', 'r', 1, 1, 0, 1, 0]], keys: ['a'] }],
    ['no kind', { items: [['allow', 'r', 1, 0, 0, 1, 0]], keys: ['a'] }],
    ['a number more', { items: [['budget', 'r', 1, 0, 0, 1, 0, 0]], keys: ['a'] }],
    ['a negative cost', { items: [['budget', 'r', 1, 0, 0, -1, 0]], keys: ['a'] }],
    ['a period of 0', { items: [['rate_limit', 'r', 1, 0, 1, 1, 0]], keys: ['a'] }],
    ['a field more', { items: [], keys: [], more: 1 }],
    ['no list', { items: {}, keys: [] }],
  ])('is refused with %s', (_name, data) => {
    expect(() => chargeFrom(data)).toThrow(refused);
  });
});

function list(data: Record<string, unknown>, key: string): readonly unknown[] {
  const value = data[key];
  return Array.isArray(value) ? value : [];
}

function text(data: unknown, from: string, to: string): unknown {
  return JSON.parse(JSON.stringify(data).replace(from, to));
}
