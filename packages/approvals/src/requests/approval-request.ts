/** One question to the operator. Times are epoch ms. */
export interface ApprovalRequest {
  readonly id: string;
  readonly client: string;
  readonly action: string;
  readonly payload_hash: string;
  readonly summary: string;
  readonly flags: readonly string[];
  /** `denied` stays until it expires, so that asking again is answered without asking the operator again. */
  readonly state: 'pending' | 'approved' | 'denied' | 'used';
  readonly created_at: number;
  readonly expires_at: number;
  /** Sequence number of the ledger entry that is the grant. */
  readonly grant_seq: number | null;
}

/** A row of `approvals`. `flags` is a JSON list of anomaly kinds. */
export interface ApprovalRow {
  readonly id: string;
  readonly client: string;
  readonly action: string;
  readonly payload_hash: string;
  readonly summary: string;
  readonly flags: string;
  readonly state: ApprovalRequest['state'];
  readonly created_at: number;
  readonly expires_at: number;
  readonly grant_seq: number | null;
}

export function fromRow(row: ApprovalRow): ApprovalRequest {
  const flags: unknown = JSON.parse(row.flags);
  return { ...row, flags: Array.isArray(flags) ? flags.filter((flag) => typeof flag === 'string') : [] };
}
