import { openLedgerReader, verifyLedger, type LedgerRow } from '@subluminal/ledger';
import { isJsonObject, type JsonObject } from '@subluminal/core-types';
import type { StepOutcome } from './short-run.js';
import type { FaultWorld } from './world.js';

/** Every row of a ledger, oldest first. */
export function rowsOf(path: string): LedgerRow[] {
  const reader = openLedgerReader(path);
  try {
    const rows: LedgerRow[] = [];
    let cursor: number | null = null;
    do {
      const page: ReturnType<typeof reader.all> = reader.all({ order: 'asc', limit: 1000, cursor });
      rows.push(...page.rows);
      cursor = page.next;
    } while (cursor !== null);
    return rows;
  } finally {
    reader.close();
  }
}

/**
 * What must hold after whatever happened, as sentences on what does not: the ledger verifies, every
 * acknowledged entry is in it, nothing was executed without an entry that precedes it, and nothing twice.
 */
export async function broken(
  world: Pick<FaultWorld, 'paths' | 'headsLog' | 'effects'>,
  outcomes: readonly StepOutcome[],
): Promise<string[]> {
  const wrong: string[] = [];
  const report = await verifyLedger(world.paths.ledgerDb, { headsLog: world.headsLog });
  if (report.exit !== 0)
    wrong.push(`verify exits ${report.exit}: ${JSON.stringify(report.finding ?? report.reasons)}`);
  if (report.open !== 0) wrong.push(`${report.open} pendings are open`);
  const rows = rowsOf(world.paths.ledgerDb);
  wrong.push(...unkept(rows, outcomes), ...unrecorded(rows, world.effects()));
  return wrong;
}

function unkept(rows: readonly LedgerRow[], outcomes: readonly StepOutcome[]): string[] {
  return outcomes.flatMap(({ step, code, auditRef }) => {
    if (auditRef === '') return [];
    const [seq, leaf] = auditRef.split('.');
    const row = rows[Number(seq) - 1];
    return row?.leaf === leaf ? [] : [`entry ${auditRef} of \`${step}\` (${code}) is not in the ledger`];
  });
}

function unrecorded(rows: readonly LedgerRow[], effects: ReturnType<FaultWorld['effects']>): string[] {
  const allowed = rows.flatMap((row) =>
    row.type === 'tool_call_decision' && row.code === 'ALLOW' ? [textAt(row.data, 'call', 'call_id')] : [],
  );
  const pending = rows.flatMap((row) =>
    row.type === 'action_pending' ? [textAt(row.data, 'req', 'id')] : [],
  );
  return [
    ...effects.calls.filter((id) => !allowed.includes(id)).map((id) => `${id} was executed and not recorded`),
    ...effects.served
      .filter((body) => !pending.includes(body.replace('effect:', '')))
      .map((body) => `${body} was sent and not recorded`),
    ...[effects.calls, effects.served].flatMap((ids) =>
      ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} was executed twice`),
    ),
  ];
}

function textAt(data: JsonObject, outer: string, inner: string): string {
  const object = data[outer];
  const value = object !== undefined && isJsonObject(object) ? object[inner] : undefined;
  return typeof value === 'string' ? value : '';
}
