import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { decide, type DecideResult } from '../decide/decide.js';
import type { PolicyCall } from '../match/call.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import type { Charge } from './charge.js';
import { chargeData, chargeFrom } from './charge-data.js';
import { PolicyState } from './policy-state.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const scope = fc.constantFrom('run', 'tool', 'server_tool');
const small = fc.integer({ min: 1, max: 4 });
const span = fc.constantFrom(1, 3, 10, 40);
const budget = fc
  .record(
    {
      scope,
      limit_calls: small,
      limit_cost_units: fc.integer({ min: 0, max: 6 }),
      limit_write_actions: small,
      on_exceed: fc.constant('BLOCK'),
    },
    { requiredKeys: ['scope', 'limit_calls', 'on_exceed'] },
  )
  .chain((fields) =>
    fc.constantFrom(
      { budget: fields },
      { budget: { limit_cost_units: 5, ...fields, cost_units_from: 'cost' } },
      { budget: { ...fields, cost_units_per_call: 2 } },
    ),
  );
const rateLimit = fc.record({
  rate_limit: fc.record({
    scope,
    capacity: small,
    refill_tokens: fc.integer({ min: 0, max: 3 }),
    refill_period_ms: fc.constantFrom(1, 7, 20),
    cost_tokens_per_call: fc.integer({ min: 0, max: 2 }),
    on_limit: fc.constant('BLOCK'),
  }),
});
const breaker = fc.record({
  breaker: fc.record({
    scope,
    error_threshold: fc.integer({ min: 1, max: 3 }),
    window_ms: span,
    repeat_threshold: fc.integer({ min: 0, max: 3 }),
    repeat_window_ms: span,
    latency_threshold_ms: fc.constant(100),
    on_trip: fc.constant('BLOCK'),
  }),
});
const dedupe = fc.record({
  dedupe: fc.record({
    scope,
    window_ms: span,
    key: fc.constant('args_hash'),
    on_duplicate: fc.constant('BLOCK'),
  }),
});
const effect = fc.oneof(budget, rateLimit, breaker, dedupe);
const effects = fc.array(effect, { minLength: 1, maxLength: 4 });

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      server: fc.constantFrom('s', 't'),
      tool: fc.constantFrom('a', 'b', 'create_c', 'rm'),
      cost: fc.constantFrom(0, 1, 2.5, '0.75', 'no number'),
      wait: fc.constantFrom(0, 0, 1, 2, 9, -5),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      at: fc.nat(9),
      status: fc.constantFrom('OK' as const, 'ERROR' as const, 'TIMEOUT' as const, 'CANCELLED' as const),
      latency_ms: fc.constantFrom(1, 101),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const) }) },
);
const steps = fc.array(step, { maxLength: 40 });

type Fields = Readonly<Record<string, number | string | undefined>>;
type Effect = Readonly<Record<string, Fields>>;

const TAG = {
  rule_id: 'writes',
  kind: 'tag',
  enabled: true,
  severity: 'info',
  match: { tool_name: { glob: ['create_*'] } },
  effect: { tag: { add_risk_class: ['write_like'] } },
};
const DENY = {
  rule_id: 'no-rm',
  kind: 'deny',
  enabled: true,
  severity: 'info',
  match: { tool_name: { glob: ['rm'] } },
  effect: { action: 'BLOCK', reason_code: 'NO', message: '' },
};

function snapshotOf(limits: readonly object[], parts: object = {}): PolicySnapshot {
  const rules = limits.map((one, at) => {
    return {
      rule_id: `r${at}`,
      kind: Object.keys(one)[0],
      enabled: true,
      severity: 'warn',
      match: {},
      effect: one,
    };
  });
  const defaults = { decision_on_error: 'BLOCK' };
  const frame = { policy_id: 'p', version: '1', mode: 'guardrails', defaults, selectors: {} };
  const result = compilePolicy(JSON.stringify({ ...frame, rules: [TAG, ...rules, DENY], ...parts }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

function callOf({ server, tool, cost }: { server: string; tool: string; cost: number | string }): PolicyCall {
  return {
    server_name: server,
    tool_name: tool,
    args: { cost },
    args_hash: `h${cost}`,
    identity: { agent_id: 'agent', client: 'claude', env: 'dev' },
  };
}

/** The events of one limit, written down in full: nothing is summed up, forgotten or bounded. */
interface Happened {
  readonly key: string;
  readonly time: number;
  readonly entry: string;
  readonly what: 'counted' | 'error' | 'allowed';
  readonly cost: bigint;
  readonly isWrite: boolean;
}

/** The semantics once more, over full histories. */
class Oracle {
  readonly #limits: readonly Effect[];
  readonly #history: Happened[][];

  constructor(limits: readonly Effect[]) {
    this.#limits = limits;
    this.#history = limits.map(() => []);
  }

  /** Why each limit refuses the call, if it does; then writes down what the call takes. */
  call(call: PolicyCall, now: number): string | undefined {
    const reasons = this.#limits.map((limit, at) => this.#reason(limit, at, call, now));
    const first =
      reasons.find((reason) => reason !== undefined) ?? (call.tool_name === 'rm' ? 'NO' : undefined);
    for (const [at, limit] of this.#limits.entries()) {
      const [kind = '', fields = {}] = Object.entries(limit)[0] ?? [];
      const isRefusedByItself = reasons[at] !== undefined;
      if ((kind === 'budget' || kind === 'rate_limit') && isRefusedByItself) continue;
      if (kind === 'dedupe' && first !== undefined) continue;
      this.#history[at]?.push({
        key: keyOf(fields, call),
        entry: entryOf(kind, fields, call),
        time: now,
        what: kind === 'dedupe' ? 'allowed' : 'counted',
        cost: costOf(fields, call) ?? 0n,
        isWrite: call.tool_name.startsWith('create_'),
      });
    }
    return first;
  }

  end(call: PolicyCall, now: number): void {
    for (const [at, limit] of this.#limits.entries()) {
      const fields = limit['breaker'];
      if (fields === undefined) continue;
      const key = keyOf(fields, call);
      this.#history[at]?.push({ key, entry: '', time: now, what: 'error', cost: 0n, isWrite: false });
    }
  }

  #reason(limit: Effect, at: number, call: PolicyCall, now: number): string | undefined {
    const [kind = '', fields = {}] = Object.entries(limit)[0] ?? [];
    const history = this.#history[at] ?? [];
    const mine = history.filter(({ key }) => key === keyOf(fields, call));
    const number = (name: string): number => Number(fields[name] ?? Infinity);
    switch (kind) {
      case 'budget': {
        const cost = costOf(fields, call);
        if (cost === undefined) return 'COST_UNKNOWN';
        if (mine.length >= number('limit_calls')) return 'BUDGET_EXCEEDED';
        const writes = mine.filter(({ isWrite }) => isWrite).length;
        if (call.tool_name.startsWith('create_') && writes >= number('limit_write_actions'))
          return 'BUDGET_EXCEEDED';
        const limitCost = fields['limit_cost_units'];
        const sum = mine.reduce((total, one) => total + one.cost, cost);
        return limitCost !== undefined && cost > 0n && sum > BigInt(limitCost) * 1_000_000n
          ? 'BUDGET_EXCEEDED'
          : undefined;
      }
      case 'rate_limit': {
        const [capacity, refill, period] = [
          number('capacity'),
          number('refill_tokens'),
          number('refill_period_ms'),
        ];
        const tokens = number('cost_tokens_per_call');
        let level = BigInt(capacity * period);
        let last = 0;
        const come = (time: number): void => {
          const more = level + BigInt((time - last) * refill);
          level = more > BigInt(capacity * period) ? BigInt(capacity * period) : more;
          last = time;
        };
        for (const { time } of mine) {
          come(time);
          level -= BigInt(tokens * period);
        }
        come(now);
        return level < BigInt(tokens * period) ? 'RATE_LIMITED' : undefined;
      }
      case 'breaker': {
        const errors = mine.filter(({ what, time }) => what === 'error' && time > now - number('window_ms'));
        if (errors.length >= number('error_threshold')) return 'BREAKER_ERRORS';
        const since = now - number('repeat_window_ms');
        const entry = entryOf(kind, fields, call);
        const again = history.filter(
          (one) => one.what === 'counted' && one.entry === entry && one.time > since,
        );
        const threshold = number('repeat_threshold');
        return threshold > 0 && again.length >= threshold ? 'BREAKER_REPEATS' : undefined;
      }
      default: {
        const entry = entryOf(kind, fields, call);
        const last = history.filter((one) => one.entry === entry && one.time > now - number('window_ms'));
        return last.length > 0 ? 'DUPLICATE_CALL' : undefined;
      }
    }
  }
}

function keyOf({ scope: of }: Fields, { server_name, tool_name }: PolicyCall): string {
  if (of === 'run') return '';
  return of === 'tool' ? tool_name : `${server_name} ${tool_name}`;
}

function entryOf(kind: string, { scope: of }: Fields, call: PolicyCall): string {
  const within = of === 'run' && kind === 'breaker' ? 'server_tool' : of;
  return `${call.args_hash} ${keyOf({ scope: within }, call)}`;
}

function costOf(fields: Fields, { args }: PolicyCall): bigint | undefined {
  if (fields['cost_units_from'] === undefined) return BigInt(fields['cost_units_per_call'] ?? 1) * 1_000_000n;
  const value = Number(args?.['cost']);
  return Number.isNaN(value) ? undefined : BigInt(value * 1_000_000);
}

interface Decided {
  readonly call: PolicyCall;
  readonly charge: Charge;
}

describe('the limits of a run', () => {
  it('refuse exactly what full histories say, whatever order things happen in and however often it restarts', () => {
    fc.assert(
      fc.property(effects, steps, (limits, happening) => {
        const snapshot = snapshotOf(limits);
        const oracle = new Oracle(limits);
        let state = PolicyState.empty();
        let now = 0;
        const decided: Decided[] = [];
        for (const one of happening) {
          if (one.do === 'restart') state = PolicyState.fromJSON(JSON.parse(JSON.stringify(state)));
          else if (one.do === 'prune') state.prune(now);
          else if (one.do === 'end') {
            const { call, charge } = decided[one.at % Math.max(1, decided.length)] ?? {};
            if (call === undefined || charge === undefined) continue;
            // The ledger's form of a charge does as well as the charge itself.
            state.settle(chargeFrom(chargeData(charge)), one, now);
            const isError = one.status === 'ERROR' || one.status === 'TIMEOUT' || one.latency_ms > 100;
            if (isError) oracle.end(call, now);
          } else {
            const call = callOf(one);
            const clock = now + one.wait;
            now = Math.max(now, clock);
            const { decision, charge } = decide(snapshot, state, call, clock);
            state.apply(charge, clock);
            const expected = oracle.call(call, now);
            expect(decision.action === 'ALLOW' ? undefined : decision.reason_code).toBe(expected);
            decided.push({ call, charge });
          }
        }
      }),
      { numRuns: isLong ? 4000 : 140 },
    );
  });
});

/** Runs steps against a state; what each step decided is given to `see`. */
function play(
  snapshot: PolicySnapshot,
  happening: readonly (typeof steps extends fc.Arbitrary<readonly (infer One)[]> ? One : never)[],
  state: PolicyState,
  see: (result: DecideResult, call: PolicyCall, now: number) => void,
): void {
  let now = 0;
  const charges: Charge[] = [];
  for (const one of happening) {
    if (one.do === 'end') {
      const charge = charges[one.at % Math.max(1, charges.length)];
      if (charge !== undefined) state.settle(charge, one, now);
    } else if (one.do === 'call') {
      now = Math.max(0, now + one.wait);
      const call = callOf(one);
      const result = decide(snapshot, state, call, now);
      see(result, call, now);
      state.apply(result.charge, now);
      charges.push(result.charge);
    }
  }
}

/** The events that bind, whatever the order in which it was last touched. */
function binding(state: PolicyState, now: number): unknown {
  state.prune(now);
  return JSON.parse(JSON.stringify({ ...state.toJSON(), now: 0 }), (_key, value) =>
    Array.isArray(value) && Array.isArray(value[0])
      ? value.map((row) => JSON.stringify(young(row, now))).toSorted()
      : value,
  );
}

/**
 * A window without the events that are too old to be counted:
 * `[entry, keep, windowMs, open, time, count, …]`.
 */
function young(row: readonly unknown[], now: number): readonly unknown[] {
  const [, , windowMs, , ...flat] = row;
  if (typeof windowMs !== 'number' || flat.length === 0 || flat.length % 2 > 0) return row;
  const kept = flat.flatMap((time, at) =>
    at % 2 > 0 || Number(time) <= now - windowMs ? [] : [time, flat[at + 1]],
  );
  return [...row.slice(0, 4), ...kept];
}

describe('deciding', () => {
  it('is the same twice, and changes neither the state nor the call', () => {
    fc.assert(
      fc.property(effects, steps, (limits, happening) => {
        const snapshot = snapshotOf(limits);
        const state = PolicyState.empty();
        play(snapshot, happening, state, (result, call, now) => {
          const before = JSON.stringify(state);
          Object.freeze(call);
          Object.freeze(call.args);
          expect(decide(snapshot, state, call, now)).toEqual(result);
          expect(JSON.stringify(state)).toBe(before);
        });
      }),
    );
  });

  it('never allows in guardrails what it refuses, and forwards everything in observe mode', () => {
    fc.assert(
      fc.property(effects, steps, (limits, happening) => {
        const snapshot = snapshotOf(limits);
        const observe = snapshotOf(limits, { mode: 'observe' });
        const state = PolicyState.empty();
        play(snapshot, happening, state, (result, call, now) => {
          const watched = decide(observe, state, call, now);
          expect(watched.decision).toEqual(result.decision);
          expect(watched.charge).toEqual(result.charge);
          expect(watched.effective.action).toBe('ALLOW');
          expect(result.effective).toEqual(result.decision);
        });
      }),
    );
  });

  it('allows no more with a deny more, in the same state', () => {
    fc.assert(
      fc.property(effects, steps, fc.constantFrom('a', '*', 'create_*'), (limits, happening, glob) => {
        const deny = { ...DENY, rule_id: 'more', match: { tool_name: { glob: [glob] } } };
        const snapshot = snapshotOf(limits);
        const stricter = snapshotOf([], { rules: [deny, ...snapshot.plain.rules] });
        play(snapshot, happening, PolicyState.empty(), () => undefined);
        const state = PolicyState.empty();
        play(snapshot, happening, state, (result, call, now) => {
          if (result.decision.action === 'ALLOW') return;
          expect(decide(stricter, state, call, now).decision.action).not.toBe('ALLOW');
        });
      }),
    );
  });
});

describe('a charge', () => {
  it('that is reverted leaves the state as if it had never been applied, also with another between', () => {
    fc.assert(
      fc.property(effects, steps, step, step, (limits, happening, first, second) => {
        fc.pre(first.do === 'call' && second.do === 'call');
        const snapshot = snapshotOf(limits);
        const state = PolicyState.empty();
        let now = 0;
        play(snapshot, happening, state, (_result, _call, time) => {
          // A clock that goes back moves no window.
          now = Math.max(now, time);
        });
        // Expired events are let go by what comes next, whether or not it is reverted.
        const before = PolicyState.fromJSON(state.toJSON());
        const a = decide(snapshot, state, callOf(first), now).charge;
        state.apply(a, now);
        state.revert(a);
        expect(binding(state, now)).toEqual(binding(before, now));
        state.apply(a, now);
        const b = decide(snapshot, state, callOf(second), now).charge;
        state.apply(b, now);
        before.apply(b, now);
        state.revert(a);
        expect(asked(snapshot, state, now)).toEqual(asked(snapshot, before, now));
      }),
      { numRuns: isLong ? 3000 : 100 },
    );
  });

  it('is the same from what the ledger keeps of it', () => {
    fc.assert(
      fc.property(effects, steps, (limits, happening) => {
        play(snapshotOf(limits), happening, PolicyState.empty(), ({ charge }) => {
          expect(chargeFrom(JSON.parse(JSON.stringify(chargeData(charge))))).toEqual(charge);
        });
      }),
    );
  });
});

/** The answers of a state on every call. */
function asked(snapshot: PolicySnapshot, state: PolicyState, now: number): readonly string[] {
  const calls = ['s', 't'].flatMap((server) =>
    ['a', 'b', 'create_c'].flatMap((tool) => [0, 1, 2.5].map((cost) => callOf({ server, tool, cost }))),
  );
  return calls.flatMap((call) =>
    [now, now + 5].map((at) => decide(snapshot, state, call, at).decision.reason_code),
  );
}

describe('a state with little room', () => {
  it('never allows what one with room for everything refuses', () => {
    const bounds = fc.record({ metersPerRule: fc.nat(2), meters: fc.nat(4), entries: fc.nat(5) });
    fc.assert(
      fc.property(effects, steps, bounds, (limits, happening, little) => {
        const snapshot = snapshotOf(limits);
        let narrow = PolicyState.empty(little);
        const wide = PolicyState.empty();
        let now = 0;
        const charges: Charge[] = [];
        for (const one of happening) {
          if (one.do === 'prune') narrow.prune(now);
          else if (one.do === 'restart') narrow = PolicyState.fromJSON(narrow.toJSON(), little);
          else if (one.do === 'end') {
            const charge = charges[one.at % Math.max(1, charges.length)];
            if (charge === undefined) continue;
            narrow.settle(charge, one, now);
            wide.settle(charge, one, now);
          } else {
            now += Math.max(0, one.wait);
            const { decision, charge } = decide(snapshot, narrow, callOf(one), now);
            const all = decide(snapshot, wide, callOf(one), now).decision;
            if (all.action !== 'ALLOW') expect(decision.action, JSON.stringify(all)).not.toBe('ALLOW');
            narrow.apply(charge, now);
            wide.apply(charge, now);
            charges.push(charge);
          }
        }
      }),
      { numRuns: isLong ? 4000 : 140 },
    );
  });
});
