import type { LedgerReader } from '@subluminal/ledger';
import type { PlaceOf } from '../objects/readings-of-call.js';
import { opensRecord, recordOf } from '../record.js';
import { Gathered } from './gathered.js';
import type { Report, ReportScope } from './report.js';
import { rowsIn, type Turn } from './walk.js';

export interface ReportParts {
  readonly reader: LedgerReader;
  readonly placeOf: PlaceOf;
  readonly turn: Turn;
  /** Calls and actions that are read, from the newest. */
  readonly most: number;
}

/** Reads off the ledger what agents did in a run, or in some time: the newest of it, in a bounded memory. */
export async function reportOf(
  { reader, placeOf, turn, most }: ReportParts,
  scope: ReportScope,
): Promise<Report> {
  const gathered = new Gathered(reader, placeOf, scope);
  for await (const row of rowsIn(reader, scope, turn)) {
    if (row.runId === null) continue;
    if (!opensRecord(row)) gathered.entry(row);
    else if (gathered.count < most) gathered.record(recordOf(reader, row));
    else return { ...gathered.report(), isCut: true };
  }
  return { ...gathered.report(), isCut: false };
}
