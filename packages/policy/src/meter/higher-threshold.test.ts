import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { decide } from '../decide/decide.js';
import type { PolicyCall } from '../match/call.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { PolicyState, type StateBounds } from './policy-state.js';

const WINDOW_MS = 60_000;

function breaker(thresholds: { readonly errors?: number; readonly repeats?: number }): PolicySnapshot {
  const effect = {
    breaker: {
      scope: 'tool',
      error_threshold: thresholds.errors ?? 0,
      window_ms: WINDOW_MS,
      repeat_threshold: thresholds.repeats ?? 0,
      repeat_window_ms: WINDOW_MS,
      on_trip: 'BLOCK',
    },
  };
  const rule = { rule_id: 'r', kind: 'breaker', enabled: true, severity: 'warn', match: {}, effect };
  const frame = { policy_id: 'p', version: '1', mode: 'guardrails', selectors: {} };
  const result = compilePolicy(
    JSON.stringify({ ...frame, defaults: { decision_on_error: 'BLOCK' }, rules: [rule] }),
  );
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

const CALL: PolicyCall = {
  server_name: 's',
  tool_name: 't',
  args: {},
  args_hash: 'h',
  identity: { agent_id: 'agent', client: 'custom', env: 'dev' },
};

/** A state in which so many calls were let through at once, and failed one after the other. */
function failed(count: number, snapshot: PolicySnapshot, bounds: Partial<StateBounds> = {}): PolicyState {
  const state = PolicyState.empty(bounds);
  const charges = Array.from({ length: count }, () => {
    const { charge } = decide(snapshot, state, CALL, 0);
    state.apply(charge, 0);
    return charge;
  });
  for (const [at, charge] of charges.entries()) state.settle(charge, { status: 'ERROR', latency_ms: 1 }, at);
  return state;
}

const restarted = (state: PolicyState): PolicyState =>
  PolicyState.fromJSON(JSON.parse(JSON.stringify(state.toJSON())));

const isAllowed = (snapshot: PolicySnapshot, state: PolicyState, now: number): boolean =>
  decide(snapshot, state, CALL, now).decision.action === 'ALLOW';

describe('a threshold that is raised', () => {
  it.each([
    ['in the same gateway', (state: PolicyState): PolicyState => state],
    ['after a restart', restarted],
  ])('finds the errors that the lower one did not need, %s', (_, next) => {
    const state = next(failed(100, breaker({ errors: 2 })));
    expect(isAllowed(breaker({ errors: 100 }), state, 100)).toBe(false);
    expect(isAllowed(breaker({ errors: 101 }), state, 100)).toBe(true);
  });

  it('finds all errors of calls that were open when the lower one was reached', () => {
    const state = restarted(failed(1026, breaker({ errors: 2 })));
    expect(isAllowed(breaker({ errors: 1026 }), state, 1026)).toBe(false);
  });

  it('finds the attempts, too', () => {
    const low = breaker({ repeats: 2 });
    const state = PolicyState.empty();
    for (let at = 0; at < 100; at += 1) state.apply(decide(low, state, CALL, at).charge, at);
    expect(isAllowed(breaker({ repeats: 100 }), restarted(state), 100)).toBe(false);
    expect(isAllowed(breaker({ repeats: 101 }), restarted(state), 100)).toBe(true);
  });

  it('finds no more than 1,024 past what the lower one needed', () => {
    const state = failed(3000, breaker({ errors: 2 }));
    expect(isAllowed(breaker({ errors: 1026 }), state, 3000)).toBe(false);
    expect(isAllowed(breaker({ errors: 1027 }), state, 3000)).toBe(true);
  });

  it('finds what half of the room of a run holds, and leaves the other half to what is needed now', () => {
    for (const count of [101, 102, 150, 3000]) {
      const little = failed(count, breaker({ errors: 2 }), { entries: 200 });
      expect(isAllowed(breaker({ errors: 101 }), little, count)).toBe(false);
      expect(isAllowed(breaker({ errors: 102 }), little, count)).toBe(true);
      expect([little.hasRoom(100, count), little.hasRoom(101, count)]).toEqual([true, false]);
    }
  });
});

describe('what a state needs for the thresholds of now', () => {
  it('is shorter, and decides the same by the same policy', () => {
    const snapshot = breaker({ errors: 2 });
    const state = failed(100, snapshot);
    const needed = PolicyState.fromJSON(JSON.parse(JSON.stringify(state.needed())));
    expect(JSON.stringify(needed.toJSON())).toContain('"t",2,60000,0,98,1,99,1');
    for (const now of [99, 99 + WINDOW_MS - 2, 99 + WINDOW_MS - 1, 99 + WINDOW_MS])
      expect(decide(snapshot, needed, CALL, now)).toEqual(decide(snapshot, state, CALL, now));
  });
});
