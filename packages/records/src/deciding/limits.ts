import { valueAt, CallStatus, isSublError, numberAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow, LimitTrailEntry } from '@subluminal/ledger';
import { chargeFrom, PolicyState, type Charge, type Waiver } from '@subluminal/policy';
import { waiverOf, withWaiver } from './waiver.js';

/** The counts of a run's limits at one moment, and its waivers by then; or why they cannot be told. */
export type RebuiltLimits =
  | { readonly rebuilt: true; readonly state: PolicyState; readonly waivers: readonly Waiver[] }
  | { readonly rebuilt: false; readonly why: string };

/**
 * Folds the charges that a run's decisions noted, and the ends of its calls, up to an entry and without it.
 */
export function limitsBefore(reader: LedgerReader, runId: string, seq: number): RebuiltLimits {
  const fold = new Fold();
  try {
    for (const entry of reader.limitTrail({ runId, after: 0, upTo: seq - 1 })) fold.take(entry);
    return { rebuilt: true, state: fold.state, waivers: fold.waivers };
  } catch (error) {
    if (isSublError(error, 'not_found', 'policy_invalid')) return { rebuilt: false, why: error.message };
    throw error;
  }
}

const NOTHING: Charge = [];

class Fold {
  readonly state = PolicyState.empty();
  waivers: readonly Waiver[] = [];
  /** By decision: what calls were charged that have not ended. */
  readonly #open = new Map<number, Charge>();

  take(entry: LimitTrailEntry): void {
    switch (entry.type) {
      case 'tool_call_decision':
        return this.#decision(entry);
      case 'tool_call_end':
        return this.#end(entry);
      case 'policy_loaded':
        return this.#again(entry.row());
      case 'spool_ingested': {
        const { data, ts } = entry.row();
        return this.state.apply(noted(data), ts);
      }
      default: {
        const waiver = waiverOf(entry.row());
        if (waiver !== undefined) this.waivers = withWaiver(this.waivers, waiver);
      }
    }
  }

  #decision({ seq, code, row }: LimitTrailEntry): void {
    const { data, ts } = row();
    const charge = noted(data);
    this.state.apply(charge, ts);
    if (code === 'ALLOW' && charge.length > 0) this.#open.set(seq, charge);
  }

  #end({ ref, facts, row }: LimitTrailEntry): void {
    const charge = ref === null ? undefined : this.#open.get(ref);
    if (ref !== null) this.#open.delete(ref);
    if (facts !== null) return void this.#recharge(charge ?? NOTHING, row());
    if (charge === undefined) return;
    const { data, ts, code } = row();
    const status = CallStatus.safeParse(code).data ?? 'ERROR';
    this.state.settle(charge, { status, latency_ms: numberAt(data, 'latency_ms') ?? 0 }, ts);
  }

  /**
   * Another policy was asked as well, because it was loaded meanwhile: what it charges takes the place of the
   * first.
   */
  #again(row: LedgerRow): void {
    const of = numberAt(row.data, 'facts', 'of');
    if (of !== undefined) this.#open.set(of, this.#recharge(this.#open.get(of) ?? NOTHING, row));
  }

  #recharge(before: Charge, { data, ts }: LedgerRow): Charge {
    const charge = noted(data);
    if (before.length > 0) this.state.revert(before);
    this.state.apply(charge, ts);
    return charge;
  }
}

function noted(data: JsonObject): Charge {
  const charge = valueAt(data, 'facts', 'charge');
  return charge === null ? NOTHING : chargeFrom(charge);
}
