import { isJsonObject, parseJson, SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { BlobCommitment, BlobState } from '../entry/blob.js';
import { nameOfCode, typeOfKind, type CodeName, type EntryType } from '../entry/kinds.js';

/** An entry as readers see it. Nothing is proved by reading: `verifyLedger` does that. */
export interface LedgerRow {
  readonly seq: number;
  /** Leaf hash, lowercase hex; `<seq>.<leaf>` is the entry's audit reference. */
  readonly leaf: string;
  readonly ts: number;
  readonly type: EntryType;
  readonly code: CodeName | null;
  readonly runId: string | null;
  /** `[server, tool]`, the name of an action, or null. */
  readonly tool: readonly [string, string] | string | null;
  readonly ref: number | null;
  /** Index in its run's own chain. */
  readonly runIndex: number;
  readonly data: JsonObject;
  /** The request id that this entry claimed for its run. */
  readonly requestId: string | null;
  readonly blobs: Readonly<Record<string, BlobCommitment>>;
}

/** The columns that `toRow` needs. */
export interface StoredRow {
  readonly seq: number;
  readonly kind: number;
  readonly code: number;
  readonly body: string;
  readonly hash: Buffer;
}

export const ROW_COLUMNS = 'seq, kind, code, body, hash';

/**
 * Reads a stored entry.
 *
 * @throws SublError `ledger_corrupt` for a body that no version of the writer makes.
 */
export function toRow(stored: StoredRow): LedgerRow {
  const type = typeOfKind(stored.kind);
  const code = nameOfCode(stored.code);
  const body = parseJson(stored.body);
  if (type === undefined || code === undefined || !isJsonObject(body)) throw unreadable(stored.seq);
  return rowOf({ seq: stored.seq, leaf: stored.hash.toString('hex'), type, code }, body);
}

/** The same of a body that is parsed already. Throws `ledger_corrupt`. */
export function rowOf(
  { seq, leaf, type, code }: Pick<LedgerRow, 'seq' | 'leaf' | 'type' | 'code'>,
  body: JsonObject,
): LedgerRow {
  const { data, ref, ri, run_id: runId, tool, ts } = body;
  if (data === undefined || !isJsonObject(data) || typeof ts !== 'number' || typeof ri !== 'number') {
    throw unreadable(seq);
  }
  const { '#blobs': blobs, '#seen': claim, ...own } = data;
  return {
    seq,
    leaf,
    ts,
    type,
    code,
    runId: typeof runId === 'string' ? runId : null,
    tool: toTool(tool),
    ref: typeof ref === 'number' ? ref : null,
    runIndex: ri,
    data: own,
    requestId: toRequestId(claim),
    blobs: toCommitments(blobs),
  };
}

const STATES: readonly BlobState[] = ['present', 'dropped:backpressure', 'dropped:budget'];

function toTool(tool: JsonValue | undefined): LedgerRow['tool'] {
  if (typeof tool === 'string') return tool;
  if (!Array.isArray(tool)) return null;
  const [server, name]: readonly JsonValue[] = tool;
  return typeof server === 'string' && typeof name === 'string' ? [server, name] : null;
}

function toRequestId(claim: JsonValue | undefined): string | null {
  const id: JsonValue | undefined = Array.isArray(claim) ? claim[1] : claim;
  return typeof id === 'string' ? id : null;
}

function toCommitments(blobs: JsonValue | undefined): Record<string, BlobCommitment> {
  const commitments: Record<string, BlobCommitment> = {};
  if (blobs === undefined || !isJsonObject(blobs)) return commitments;
  for (const [slot, value] of Object.entries(blobs)) {
    if (!isJsonObject(value)) continue;
    const { hash, len, state } = value;
    if (typeof hash !== 'string' || typeof len !== 'number') continue;
    commitments[slot] = {
      hash,
      len,
      state: STATES.find((known) => known === state) ?? 'dropped:backpressure',
    };
  }
  return commitments;
}

function unreadable(seq: number): SublError {
  return new SublError('ledger_corrupt', `entry ${seq} cannot be read`, { details: { seq } });
}
