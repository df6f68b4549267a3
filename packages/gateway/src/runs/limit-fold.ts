import { objectAt, textAt } from '@subluminal/core-types';
import type { CodeName, LedgerReader, LedgerRow, LimitTrailEntry } from '@subluminal/ledger';
import type { Charge, Waiver } from '@subluminal/policy';
import { chargeAmong, chargeOf } from './rows.js';
import { RunLimits, type CallOutcome, type KeptLimits } from '../limits/run-limits.js';

/** What is folded onto what. */
export interface FoldQuestion {
  readonly runId: string;
  /** What was kept of the run; undefined where nothing was. */
  readonly kept: KeptLimits | undefined;
  /** The entry up to which it goes. */
  readonly after: number;
}

/** A run's limits as the ledger has them. */
export interface Folded {
  readonly limits: RunLimits;
  /** Calls whose end was counted before it was recorded. */
  readonly settled: ReadonlySet<string>;
}

const NOTHING: Charge = [];

/**
 * Counts again what a run's entries say of its limits, at their times. A decision was charged before its
 * entry was durable, so what was kept may have counted entries behind the one up to which it goes: it names
 * those. One of those that another policy was asked as well is counted by both: more than it was, never less.
 *
 * @throws SublError `not_found` where a file is not there, `policy_invalid` where an entry or what was kept
 * says something that this version does not know.
 */
export function foldLimits(reader: LedgerReader, { runId, kept, after }: FoldQuestion): Folded {
  const fold = new Fold(reader, kept, after);
  for (const entry of reader.limitTrail({ runId, after })) fold.take(entry);
  return { limits: fold.limits, settled: fold.settled };
}

class Fold {
  readonly limits: RunLimits;
  readonly settled: ReadonlySet<string>;
  readonly #reader: LedgerReader;
  readonly #after: number;
  readonly #charged: ReadonlySet<string>;
  /** By decision: what calls were charged that have not ended. */
  readonly #open = new Map<number, Charge>();

  constructor(reader: LedgerReader, kept: KeptLimits | undefined, after: number) {
    this.#reader = reader;
    this.#after = after;
    this.#charged = new Set(kept?.charged);
    this.settled = new Set(kept?.settled);
    this.limits = RunLimits.from(kept);
  }

  take(entry: LimitTrailEntry): void {
    if (entry.type === 'tool_call_decision') this.#decision(entry);
    else if (entry.type === 'tool_call_end') this.#end(entry);
    else if (entry.type === 'policy_loaded') this.#again(entry.row());
    else if (entry.type === 'spool_ingested') this.#unbelieved(entry.row());
    else this.limits.waive(waiverOf(entry.row()));
  }

  #decision({ seq, code, ts, callId, facts }: LimitTrailEntry): void {
    const charge = chargeIn(facts);
    if (code === 'ALLOW' && charge.length > 0) this.#open.set(seq, charge);
    if (!this.#charged.has(callId)) this.limits.state.apply(charge, ts);
  }

  #end({ ref, code, ts, callId, latencyMs, facts, row }: LimitTrailEntry): void {
    if (ref === null) return;
    const charge = this.#chargeOf(ref);
    this.#open.delete(ref);
    if (facts !== null) {
      const end = row();
      this.#recharge(charge, end);
      if (objectAt(end.data, 'decision')['action'] === 'TERMINATE_RUN') this.limits.terminate();
    } else if (charge.length > 0 && !this.settled.has(callId)) {
      this.limits.state.settle(charge, { status: statusOf(code), latency_ms: latencyMs }, ts);
    }
  }

  /** Another policy allowed a call as well. */
  #again(row: LedgerRow): void {
    const { of } = objectAt(row.data, 'facts');
    if (typeof of !== 'number') return;
    this.#open.set(of, this.#recharge(this.#chargeOf(of), row));
  }

  /** What shims did alone, and nobody can tell in which calls. */
  #unbelieved(row: LedgerRow): void {
    this.limits.state.apply(chargeOf(row), row.ts);
  }

  #recharge(before: Charge, row: LedgerRow): Charge {
    const charge = chargeOf(row);
    if (before.length > 0) this.limits.state.revert(before);
    this.limits.state.apply(charge, row.ts);
    return charge;
  }

  /** Of an allowed call. What its decision says where that stands before everything that is folded. */
  #chargeOf(seq: number): Charge {
    const known = this.#open.get(seq);
    if (known !== undefined) return known;
    const decision = seq > this.#after ? undefined : this.#reader.entry(seq);
    return decision?.code === 'ALLOW' ? chargeOf(decision) : NOTHING;
  }
}

/**
 * Of the text of facts: a million decisions are read without the rest of their entries. Throws
 * `policy_invalid`.
 */
function chargeIn(facts: string | null): Charge {
  return facts === null ? NOTHING : chargeAmong(JSON.parse(facts));
}

function waiverOf({ tool, data }: LedgerRow): Waiver {
  const [server_name, tool_name] = Array.isArray(tool) ? tool : ['', ''];
  const { args_hash: hash } = data;
  return {
    rule_id: textAt(data, 'rule_id'),
    server_name,
    tool_name,
    args_hash: typeof hash === 'string' ? hash : null,
  };
}

function statusOf(code: CodeName | null): CallOutcome['status'] {
  return code === 'OK' || code === 'TIMEOUT' || code === 'CANCELLED' ? code : 'ERROR';
}
