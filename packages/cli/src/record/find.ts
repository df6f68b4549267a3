import { SublError } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { callIdOf } from './hints.js';
import { recordAround } from './record.js';

/**
 * The entry that a person names: a number is an entry, `<seq>.<leaf>` an audit reference, anything else the id of a
 * request or a call. Throws `ledger_corrupt` for a reference whose hash is another.
 */
export function findRow(reader: LedgerReader, text: string): LedgerRow | undefined {
  // Request ids have an index; a call id is looked for through the whole ledger.
  return isEntry(text) ? findEntry(reader, text) : (reader.byRequest(text)[0] ?? reader.call(text)?.start);
}

/** The start of the call that a person names: by its id, or by one of its entries as `findRow` takes them. */
export function findCallStart(reader: LedgerReader, text: string): LedgerRow | undefined {
  if (!isEntry(text)) return reader.call(text)?.start;
  const row = findEntry(reader, text);
  if (row === undefined) return undefined;
  const first = recordAround(reader, row)?.first ?? reader.call(callIdOf(row))?.start;
  return first?.type === 'tool_call_start' && first.runId === row.runId ? first : undefined;
}

const ENTRY = /^([0-9]{1,15})(?:\.([0-9a-f]{64}))?$/;

function isEntry(text: string): boolean {
  return ENTRY.test(text);
}

function findEntry(reader: LedgerReader, text: string): LedgerRow | undefined {
  const [, seq, leaf] = ENTRY.exec(text) ?? [];
  const row = reader.entry(Number(seq));
  if (row === undefined || leaf === undefined || row.leaf === leaf) return row;
  throw new SublError('ledger_corrupt', `entry ${seq} does not have the hash of that audit reference`, {
    help: 'the ledger was changed since, or this is another ledger: run `sub audit verify`',
  });
}
