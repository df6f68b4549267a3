import { CallStatus, isSublError } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { chargeFrom, PolicyState, type Charge, type Waiver } from '@subluminal/policy';
import { at, numberAt } from '../output/fields.js';
import { waiverOf } from './waiver.js';

/** What the limits of a run had counted at one moment, and what was lifted by then; or why that cannot be told. */
export type RebuiltLimits =
  | { readonly rebuilt: true; readonly state: PolicyState; readonly waivers: readonly Waiver[] }
  | { readonly rebuilt: false; readonly why: string };

/** Folds the charges that a run's decisions noted, and the ends of its calls, up to an entry and without it. */
export function limitsBefore(reader: LedgerReader, runId: string, seq: number): RebuiltLimits {
  const state = PolicyState.empty();
  const waivers: Waiver[] = [];
  const open = new Map<number, Charge>();
  try {
    for (const entry of reader.limitTrail({ runId, after: 0, upTo: seq - 1 })) {
      if (entry.type === 'tool_call_decision') {
        const { data, ts } = entry.row();
        const noted = at(data, 'facts', 'charge');
        if (noted === null) continue;
        const charge = chargeFrom(noted);
        state.apply(charge, ts);
        if (entry.code === 'ALLOW') open.set(entry.seq, charge);
      } else if (entry.type === 'tool_call_end' && entry.ref !== null) {
        const charge = open.get(entry.ref);
        open.delete(entry.ref);
        if (charge === undefined) continue;
        const { data, ts, code } = entry.row();
        const status = CallStatus.safeParse(code).data ?? 'ERROR';
        state.settle(charge, { status, latency_ms: numberAt(data, 'latency_ms') ?? 0 }, ts);
      } else if (entry.type === 'hint_promoted') {
        const waiver = waiverOf(entry.row());
        if (waiver !== undefined) waivers.push(waiver);
      }
    }
    return { rebuilt: true, state, waivers };
  } catch (error) {
    if (isSublError(error, 'not_found', 'policy_invalid')) return { rebuilt: false, why: error.message };
    throw error;
  }
}
