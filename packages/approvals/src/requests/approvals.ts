import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { type ApprovalRequest, type ApprovalRow, fromRow } from './approval-request.js';
import { type ApprovalInput, type ApprovalSubject, type Grants, steadyClock } from '@subluminal/gateway';

/**
 * Bounds of `Approvals`. `maxPendingPerClient` keeps one client from taking every place; default: no bound of
 * its own.
 */
export interface ApprovalOptions {
  readonly expiresAfterMs: () => number;
  readonly maxPending: number;
  readonly maxPendingPerClient?: number;
  /** Told of each request that is new. */
  readonly onAsked?: (request: ApprovalRequest, input: ApprovalInput) => void;
}

/**
 * Questions to the operator and the grants that answer them. A grant is good once, for exactly one (client,
 * action, payload hash), until it expires. That it is used once is guaranteed by the ledger (the pending
 * entry refers to the grant's entry, uniquely); this table is the index that finds it.
 */
export class Approvals implements Grants {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #newId: () => string;
  readonly #options: ApprovalOptions;

  /** `clock` gives epoch ms, `newId` a fresh id. Creates the table where there is none. */
  constructor(db: Database, clock: () => number, newId: () => string, options: ApprovalOptions) {
    this.#db = db;
    this.#now = steadyClock(clock);
    this.#newId = newId;
    this.#options = options;
  }

  /**
   * Asks the operator. The same subject gets the same request while it is open (pending, approved, or denied
   * and not yet expired). Throws `overloaded` when too many are pending; only expired ones make room.
   */
  request(input: ApprovalInput): ApprovalRequest {
    const { request, isNew } = this.#db.transaction(() => {
      const now = this.#sweep();
      const open = this.#open(input);
      if (open !== undefined) return { request: open, isNew: false };
      this.#refuseWhenFull(input.client);
      const row: ApprovalRow = {
        id: this.#newId(),
        client: input.client,
        action: input.action,
        payload_hash: input.payloadHash,
        summary: input.summary,
        flags: JSON.stringify(input.flags.map((flag) => flag.kind)),
        state: 'pending',
        created_at: now,
        expires_at: now + this.#options.expiresAfterMs(),
        grant_seq: null,
      };
      this.#db
        .prepare(
          `INSERT INTO approvals VALUES (@id, @client, @action, @payload_hash, @summary, @flags, @state,
             @created_at, @expires_at, @grant_seq)`,
        )
        .run(row);
      return { request: fromRow(row), isNew: true };
    })();
    if (isNew) this.#options.onAsked?.(request, input);
    return request;
  }

  /** Every request that has not expired, oldest first. */
  list(): ApprovalRequest[] {
    return this.#db
      .prepare<[number], ApprovalRow>('SELECT * FROM approvals WHERE expires_at > ? ORDER BY created_at, id')
      .all(this.#now())
      .map((row) => fromRow(row));
  }

  /** One request, unless it has expired. */
  get(id: string): ApprovalRequest | undefined {
    const row = this.#db
      .prepare<[string, number], ApprovalRow>('SELECT * FROM approvals WHERE id = ? AND expires_at > ?')
      .get(id, this.#now());
    return row === undefined ? undefined : fromRow(row);
  }

  /**
   * Records that ledger entry `grantSeq` grants the request; the grant is good for a full `expiresAfterMs`
   * from now. Throws `approval_not_found` (unknown or expired) or `approval_used` (already answered).
   */
  markApproved(id: string, grantSeq: number): void {
    this.#answer(id, 'approved', grantSeq);
  }

  /** Records the operator's no, which holds for `expiresAfterMs`. Throws like `markApproved`. */
  markDenied(id: string): void {
    this.#answer(id, 'denied', null);
  }

  /** The grant for exactly this subject: approved, unexpired, unused. */
  findGrant(subject: ApprovalSubject): { approvalId: string; grantSeq: number } | undefined {
    const open = this.#open(subject);
    if (open?.state !== 'approved' || open.grant_seq === null) return undefined;
    return { approvalId: open.id, grantSeq: open.grant_seq };
  }

  /** Spends a grant. Throws `approval_used` unless it was approved, unexpired and unused. */
  markUsed(approvalId: string): void {
    const { changes } = this.#db
      .prepare("UPDATE approvals SET state = 'used' WHERE id = ? AND state = 'approved' AND expires_at > ?")
      .run(approvalId, this.#now());
    if (changes === 0) {
      throw new SublError('approval_used', `the approval \`${approvalId}\` was used before or has expired`);
    }
  }

  /**
   * Takes back what was asked or granted for some actions, and not used yet: what their payloads mean is
   * something else now. A no stays.
   */
  withdraw(actions: readonly string[]): void {
    const remove = this.#db.prepare<[string]>(
      "DELETE FROM approvals WHERE action = ? AND state IN ('pending', 'approved')",
    );
    this.#db.transaction(() => {
      for (const action of actions) remove.run(action);
    })();
  }

  #answer(id: string, state: 'approved' | 'denied', grantSeq: number | null): void {
    const now = this.#now();
    const { changes } = this.#db
      .prepare(
        `UPDATE approvals SET state = ?, grant_seq = ?, expires_at = ?
           WHERE id = ? AND state = 'pending' AND expires_at > ?`,
      )
      .run(state, grantSeq, now + this.#options.expiresAfterMs(), id, now);
    if (changes > 0) return;
    const known = this.get(id);
    throw known === undefined
      ? new SublError('approval_not_found', `there is no open approval request \`${id}\``, {
          help: 'it may have expired: list the open ones',
        })
      : new SublError('approval_used', `the approval request \`${id}\` is already ${known.state}`);
  }

  #open(subject: ApprovalSubject): ApprovalRequest | undefined {
    const row = this.#db
      .prepare<[string, string, string, number], ApprovalRow>(
        `SELECT * FROM approvals WHERE client = ? AND action = ? AND payload_hash = ?
           AND state <> 'used' AND expires_at > ?`,
      )
      .get(subject.client, subject.action, subject.payloadHash, this.#now());
    return row === undefined ? undefined : fromRow(row);
  }

  /** Used grants are kept until they expire, for `list`; everything expired goes. */
  #sweep(): number {
    const now = this.#now();
    this.#db.prepare('DELETE FROM approvals WHERE expires_at <= ?').run(now);
    return now;
  }

  #refuseWhenFull(client: string): void {
    const { maxPending, maxPendingPerClient = maxPending } = this.#options;
    const count = this.#db
      .prepare<[string], { own: number; all: number }>(
        'SELECT count(*) AS "all", ifnull(sum(client = ?), 0) AS own FROM approvals WHERE state = \'pending\'',
      )
      .get(client);
    if (count !== undefined && count.all < maxPending && count.own < maxPendingPerClient) return;
    throw new SublError('overloaded', 'too many approval requests are waiting', {
      help: 'they make room when they are answered or expire',
    });
  }
}
