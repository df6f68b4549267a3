import type { Database } from 'better-sqlite3';
import type { Question, QuestionState, QuestionSubject } from '@subluminal/gateway';

interface Row {
  readonly id: string;
  readonly call_id: string;
  readonly run_id: string;
  readonly rule_id: string;
  readonly rule_hash: string;
  readonly server_name: string;
  readonly tool_name: string;
  readonly subject: string;
  readonly object: string;
  readonly is_whole: 0 | 1;
  readonly why: string;
  readonly state: QuestionState;
  readonly said: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** The questions of live runs, in `gateway.db`. */
export class QuestionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add(question: Question): void {
    this.#db
      .prepare('INSERT INTO question VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(
        question.id,
        question.callId,
        question.runId,
        question.ruleId,
        question.ruleHash,
        question.server,
        question.tool,
        question.subject,
        question.object,
        question.isWhole ? 1 : 0,
        question.why,
        question.state,
        question.said,
        question.createdAt,
        question.expiresAt,
      );
  }

  get(id: string): Question | undefined {
    const row = this.#db.prepare<[string], Row>('SELECT * FROM question WHERE id = ?').get(id);
    return row === undefined ? undefined : fromRow(row);
  }

  /** The one that is open or holds about this call and rule, whatever the rule said then. */
  find({ runId, ruleId, subject }: QuestionSubject): Question | undefined {
    const row = this.#db
      .prepare<[string, string, string], Row>(
        `SELECT * FROM question WHERE run_id = ? AND rule_id = ? AND subject = ?
           AND state NOT IN ('used', 'closed')`,
      )
      .get(runId, ruleId, subject);
    return row === undefined ? undefined : fromRow(row);
  }

  /** The yeses for the run that are about no single call. */
  raises(runId: string): readonly Question[] {
    return this.#db
      .prepare<[string], Row>(`SELECT * FROM question WHERE run_id = ? AND state = 'run' AND subject = id`)
      .all(runId)
      .map(fromRow);
  }

  /** Forgets one whose entry could not be written. */
  drop(id: string): void {
    this.#db.prepare('DELETE FROM question WHERE id = ?').run(id);
  }

  /** All that are not used or closed, the oldest first. */
  open(): readonly Question[] {
    return this.#db
      .prepare<[], Row>(
        `SELECT * FROM question WHERE state NOT IN ('used', 'closed') ORDER BY created_at, id`,
      )
      .all()
      .map(fromRow);
  }

  /** All that are kept, the oldest first. */
  all(): readonly Question[] {
    return this.#db.prepare<[], Row>('SELECT * FROM question ORDER BY created_at, id').all().map(fromRow);
  }

  /** Puts it into another state where it is still in that one. Tells whether it was. */
  change(
    id: string,
    from: QuestionState,
    to: QuestionState,
    more: { readonly said?: string; readonly expiresAt?: number; readonly subject?: string } = {},
  ): boolean {
    const { changes } = this.#db
      .prepare(
        `UPDATE question SET state = ?, said = coalesce(?, said), expires_at = coalesce(?, expires_at),
           subject = coalesce(?, subject) WHERE id = ? AND state = ?`,
      )
      .run(to, more.said ?? null, more.expiresAt ?? null, more.subject ?? null, id, from);
    return changes === 1;
  }

  /** How many wait: of all, and of that run. */
  waiting(runId: string): { readonly all: number; readonly own: number } {
    const row = this.#db
      .prepare<[string], { total: number; own: number | null }>(
        `SELECT count(*) AS total, sum(run_id = ?) AS own FROM question WHERE state = 'pending'`,
      )
      .get(runId);
    return { all: row?.total ?? 0, own: row?.own ?? 0 };
  }

  /** How many are kept of a run. */
  count(runId: string): number {
    const count = this.#db.prepare<[string], number>('SELECT count(*) FROM question WHERE run_id = ?');
    return count.pluck().get(runId) ?? 0;
  }

  /** Forgets what is over, if it was asked before then, and all of runs that are over. */
  forget(isLive: (runId: string) => boolean, before: number): void {
    this.#db.prepare(`DELETE FROM question WHERE state IN ('used', 'closed') AND created_at < ?`).run(before);
    const runs = this.#db.prepare<[], { run_id: string }>('SELECT DISTINCT run_id FROM question').all();
    const remove = this.#db.prepare<[string]>('DELETE FROM question WHERE run_id = ?');
    for (const { run_id: runId } of runs) if (!isLive(runId)) remove.run(runId);
  }
}

function fromRow(row: Row): Question {
  return {
    id: row.id,
    callId: row.call_id,
    runId: row.run_id,
    ruleId: row.rule_id,
    ruleHash: row.rule_hash,
    server: row.server_name,
    tool: row.tool_name,
    subject: row.subject,
    object: row.object,
    isWhole: row.is_whole === 1,
    why: row.why,
    state: row.state,
    said: row.said,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
