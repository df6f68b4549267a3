import { valueAt, isSublError, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { chargeFrom, joinCharges, type Charge } from '@subluminal/policy';

/** More calls than the gateway lets go on with each other. */
const MAX_STEPS = 32;

/** The charges of the calls that a call goes on with, as far as they are recorded. */
export function paidBefore(reader: LedgerReader, decision: LedgerRow): Charge {
  const charges: Charge[] = [];
  let row: LedgerRow | undefined = decision;
  for (let step = 0; step < MAX_STEPS && row !== undefined; step += 1) {
    const id: string = textAt(row.data, 'call', 'continues');
    if (id === '') break;
    row = reader.call(id)?.decision ?? undefined;
    if (row?.runId !== decision.runId) break;
    charges.unshift(noted(row));
  }
  return charges.reduce(joinCharges, []);
}

function noted({ data }: LedgerRow): Charge {
  const charge = valueAt(data, 'facts', 'charge');
  if (charge === null) return [];
  try {
    return chargeFrom(charge);
  } catch (error) {
    if (isSublError(error, 'policy_invalid')) return [];
    throw error;
  }
}
