import { AuditEntry, isJsonObject, type JsonObject, type JsonValue, parseJson } from '@subluminal/core-types';
import type { AuditRow } from './one-file.js';
import type { LedgerRow } from './row.js';

/**
 * A row of the audit trail. Where the request that it answers stands in an older file, what the view has from
 * the request is taken from there. `entryAt` gives an older entry; undefined where its file is not there.
 */
export function auditEntry(
  { before, ...row }: AuditRow,
  entryAt: (seq: number) => LedgerRow | undefined,
): AuditEntry {
  const metadata = parseJson(row.metadata);
  const request = before === null ? undefined : requestAt(before, entryAt);
  if (request === undefined || !isJsonObject(metadata)) return AuditEntry.parse({ ...row, metadata });
  const own = asked(metadata);
  const { id, sig, hash } = asked(request);
  return AuditEntry.parse({
    ...row,
    request_id: own.id ?? id ?? row.request_id,
    payload_hash: own.hash ?? hash ?? row.payload_hash,
    signature: own.sig ?? sig ?? '',
    metadata,
  });
}

/** The data of the request: an end refers to its decision, and that to the start of the call. */
function requestAt(seq: number, entryAt: (seq: number) => LedgerRow | undefined): JsonObject | undefined {
  const referred = entryAt(seq);
  const isDecision = referred?.type === 'tool_call_decision' && referred.ref !== null;
  const row = isDecision ? entryAt(referred.ref) : referred;
  return row?.type === 'tool_call_start' || row?.type === 'action_pending' ? row.data : undefined;
}

function asked(data: JsonObject): Readonly<Record<'id' | 'sig' | 'hash', JsonValue | undefined>> {
  const { req, payload_hash: hash } = data;
  const { id, sig } = req !== undefined && isJsonObject(req) ? req : {};
  return { id, sig, hash };
}
