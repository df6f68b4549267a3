import { canonicalize, type JsonObject, objectAt, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow, LimitTrailEntry } from '@subluminal/ledger';
import {
  chargeData,
  compilePolicy,
  decide,
  type Charge,
  type PolicyCall,
  type PolicySnapshot,
} from '@subluminal/policy';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLimits } from './limit-fold.js';
import { RunLimits, type ChargedCall, type KeptLimits } from '../limits/run-limits.js';

const rule = (kind: string, rule_id: string, tool: string, effect: object): object => ({
  rule_id,
  kind,
  enabled: true,
  severity: 'info',
  match: { tool_name: { glob: [tool] } },
  effect,
});
const rules = [
  rule('budget', 'all', '*', { budget: { scope: 'run', limit_calls: 40, on_exceed: 'BLOCK' } }),
  rule('budget', 'each', '*', { budget: { scope: 'tool', limit_calls: 15, on_exceed: 'BLOCK' } }),
  rule('rate_limit', 'slow', 'a', {
    rate_limit: { scope: 'run', capacity: 5, refill_tokens: 1, refill_period_ms: 40, on_limit: 'BLOCK' },
  }),
  rule('breaker', 'errors', '*', {
    breaker: {
      scope: 'tool',
      error_threshold: 4,
      window_ms: 400,
      repeat_threshold: 6,
      repeat_window_ms: 400,
      on_trip: 'BLOCK',
    },
  }),
  rule('dedupe', 'once', 'b', {
    dedupe: { scope: 'run', window_ms: 300, key: 'args_hash', on_duplicate: 'BLOCK' },
  }),
];

/** What is loaded in between: some limits stay, some go, one comes, and one tool is denied. */
const otherRules = [
  rule('deny', 'no-c', 'c', { action: 'BLOCK', reason_code: 'NO', message: '' }),
  ...rules.slice(1),
  rule('budget', 'new', '*', { budget: { scope: 'run', limit_calls: 50, on_exceed: 'BLOCK' } }),
];

function snapshotOf(bundled: readonly object[]): PolicySnapshot {
  const compiled = compilePolicy(
    JSON.stringify({
      policy_id: 'fold',
      version: '1',
      mode: 'guardrails',
      defaults: { decision_on_error: 'BLOCK' },
      selectors: {},
      rules: bundled,
    }),
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.snapshot;
}

interface Waiting {
  readonly rows: readonly (Omit<LedgerRow, 'seq' | 'ref'> & { readonly of?: Open })[];
  readonly done: () => void;
  readonly isAskedAgain?: boolean;
}
interface Open extends ChargedCall {
  seq: number;
}

/** A run as the gateway lives it: counted at once, written a little later, kept in between. */
class Life {
  readonly limits = new RunLimits();
  readonly rows: LedgerRow[] = [];
  readonly #snapshot = snapshotOf(rules);
  readonly #other = snapshotOf(otherRules);
  readonly #waiting: Waiting[] = [];
  readonly #open: Open[] = [];
  #calls = 0;
  now = 1000;
  kept: KeptLimits | undefined;
  mark = 0;

  /** Of a call that is asked `again` another policy is loaded while its decision is written. */
  ask(tool: number, args: number, again: boolean): void {
    this.#calls += 1;
    const callId = `call-${String(this.#calls).padStart(8, '0')}`;
    const tool_name = 'abc'[tool] ?? 'c';
    const identity = { agent_id: 'a', client: 'claude', env: 'dev' } as const;
    const call = { server_name: 's', tool_name, args: { args }, args_hash: `hash-${args}`, identity };
    const { charge, effective } = decide(this.#snapshot, this.limits.state, call, this.now);
    this.limits.charge(callId, charge, this.now);
    const open: Open = { callId, charge, isSettled: false, seq: 0 };
    const row = this.#row('tool_call_decision', callId, charge);
    const done = (): void => {
      this.limits.recorded(callId);
      if (effective.action !== 'ALLOW') return;
      this.#open.push(open);
      if (again) this.#again(open, call);
    };
    const decision = { ...row, code: effective.action, of: open };
    this.#waiting.push({ rows: [decision], done, isAskedAgain: again });
  }

  #again(open: Open, call: PolicyCall): void {
    const release = this.limits.hold();
    this.limits.revert(open.charge);
    const { charge, effective } = decide(this.#other, this.limits.state, call, this.now);
    this.limits.charge(open.callId, charge, this.now);
    open.charge = charge;
    const isAllowed = effective.action === 'ALLOW';
    if (!isAllowed) this.#open.splice(this.#open.indexOf(open), 1);
    const row = this.#row(isAllowed ? 'policy_loaded' : 'tool_call_end', open.callId, charge);
    const facts = { ...objectAt(row.data, 'facts'), again: true, ...(isAllowed ? { of: open.seq } : {}) };
    const done = (): void => {
      this.limits.recorded(open.callId);
      release();
    };
    this.#waiting.push({ rows: [{ ...row, data: { ...row.data, facts }, of: open }], done });
  }

  end(which: number, failed: boolean): void {
    const open = this.#open[which % Math.max(1, this.#open.length)];
    if (open === undefined || open.isSettled) return;
    const status = failed ? 'ERROR' : 'OK';
    this.limits.settle(open, { status, latency_ms: 3 }, this.now);
    const row = { ...this.#row('tool_call_end', open.callId, []), code: status, of: open } as const;
    const done = (): void => void this.#open.splice(this.#open.indexOf(open), 1);
    this.#waiting.push({ rows: [{ ...row, data: { ...row.data, latency_ms: 3 } }], done });
  }

  /** So many of what waits become durable. */
  write(count: number): void {
    // What is done may have more to write, behind everything that waits.
    for (let left = count; left > 0 && this.#waiting.length > 0; left -= 1) {
      const [{ rows, done }] = this.#waiting.splice(0, 1) as [Waiting];
      for (const { of, ...row } of rows) {
        const seq = this.rows.length + 1;
        this.rows.push({ ...row, seq, ref: row.type === 'tool_call_end' ? (of?.seq ?? 0) : null });
        if (row.type === 'tool_call_decision' && of !== undefined) of.seq = seq;
      }
      done();
    }
  }

  keep(): void {
    // A call that is under way when it is kept and then asked again is counted by both policies.
    if (this.limits.isHeld || this.#waiting.some(({ isAskedAgain }) => isAskedAgain)) return;
    const kept: KeptLimits = JSON.parse(JSON.stringify(this.limits.kept(this.#open)));
    this.kept = kept;
    this.mark = this.rows.length;
  }

  #row(type: LedgerRow['type'], call_id: string, charge: Charge): Omit<LedgerRow, 'seq' | 'ref'> {
    const facts = charge.length === 0 ? {} : { facts: { charge: chargeData(charge) } };
    const data: JsonObject = JSON.parse(canonicalize({ call: { call_id }, ...facts }));
    const place = { leaf: '', runIndex: 0, requestId: null, blobs: {}, code: null };
    return { ...place, ts: this.now, type, runId: 'run', tool: ['s', 'x'], data };
  }
}

/** What reads the rows of a life. */
function readerOf(rows: readonly LedgerRow[]): LedgerReader {
  const reader: Pick<LedgerReader, 'limitTrail' | 'entry'> = {
    *limitTrail({ after }): Generator<LimitTrailEntry> {
      for (const row of rows) {
        const { facts: held, call } = row.data;
        const facts = held === undefined ? null : JSON.stringify(held);
        if (row.seq <= after || (row.type === 'tool_call_decision' && facts === null)) continue;
        const { seq, type, code, ref, ts, data } = row;
        const latencyMs = Number(data['latency_ms'] ?? 0);
        const callId = textAt(call as JsonObject, 'call_id');
        yield { seq, type, code, ref, ts, callId, latencyMs, facts, row: () => row };
      }
    },
    entry: (seq) => rows[seq - 1],
  };
  return reader as LedgerReader;
}

const act = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('ask' as const), fc.nat(2), fc.nat(9)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('end' as const), fc.nat(9), fc.boolean()) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('write' as const), fc.nat(4)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('keep' as const)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('wait' as const), fc.nat(90)) },
);

describe('what is folded', () => {
  it('is what was lived, from what was kept at any moment and from nothing', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const life = new Life();
        for (const [what, one = 0, other = 0] of acts) {
          if (what === 'ask') life.ask(one, Number(other) % 5, Number(other) > 6);
          else if (what === 'end') life.end(one, other === true);
          else if (what === 'write') life.write(one);
          else if (what === 'keep') life.keep();
          else life.now += one;
        }
        life.write(Number.MAX_SAFE_INTEGER);
        const reader = readerOf(life.rows);
        const lived = shown(life.limits, life.now);
        const { kept, mark } = life;
        const folded = foldLimits(reader, { runId: 'run', kept, after: mark }).limits;
        expect(shown(folded, life.now)).toEqual(lived);
        const anew = foldLimits(reader, { runId: 'run', kept: undefined, after: 0 }).limits;
        expect(shown(anew, life.now)).toEqual(lived);
      }),
      { numRuns: 300 },
    );
  });
});

/** What still binds. Lists have no order of their own. */
function shown(limits: RunLimits, now: number): unknown {
  limits.prune(now);
  return sorted(JSON.parse(JSON.stringify(limits.state.toJSON())));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value) && value.every((item) => typeof item === 'number')) return value;
  if (Array.isArray(value))
    return value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sorted(item)]));
}
