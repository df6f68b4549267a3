import { textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { connectionOf } from './connection.js';

/** The name that `sub doctor` asks the proxy for: nobody can have it, and nothing else asks for it. */
const NAME = 'doctor.subluminal.invalid';
const AGENT = 'sub-doctor';
/** A run of the doctor has no more entries than these. */
const MOST = 6;
const FRAME: ReadonlySet<string> = new Set(['run_start', 'run_end', 'policy_loaded']);

/** Whether a connection is the one by which `sub doctor` tries the proxy. */
export function isOfDoctor(first: LedgerRow): boolean {
  return connectionOf({ first, last: null })?.host === NAME;
}

/** Whether a run holds nothing but that connection. A name alone hides no run: agents choose theirs. */
export function isRunOfDoctor(reader: Pick<LedgerReader, 'byRun'>, start: LedgerRow): boolean {
  if (start.runId === null || textAt(start.data, 'agent_id') !== AGENT) return false;
  const { rows, next } = reader.byRun(start.runId, { limit: MOST, order: 'asc' });
  return next === null && rows.every((row) => FRAME.has(row.type) || isOfDoctor(row));
}
