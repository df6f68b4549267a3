import { openDatabase } from '../dist/sqlite/open.js';
import { KINDS } from '../dist/index.js';
import { SCHEMA } from '../dist/schema/ddl.js';

const RP = '0'.repeat(64);
const CODES = { OK: 10, ALLOW: 1, pending: 20, success: 21 };

/**
 * SQLite as a recorder without proof would use it: the same rows, indexes and fsyncs, but no chain, tree,
 * guards or signed head.
 */
export class NaiveRecorder {
  #numbers = new Map();
  #hash = Buffer.alloc(32);
  seq = 0;

  constructor(path) {
    const db = (this.db = openDatabase(path));
    db.pragma('journal_mode=WAL');
    db.pragma('synchronous=FULL');
    for (const sql of SCHEMA) if (!sql.startsWith('CREATE TRIGGER')) db.exec(sql);
    this.insert = db.prepare(
      'INSERT INTO entry(seq,ts,run,ref,kind,code,tool,body,hash) VALUES(?,?,?,?,?,?,?,?,?)',
    );
    this.claim = db.prepare('INSERT INTO seen(run,id,seq) VALUES(?,?,?)');
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.end = db.prepare('COMMIT');
  }

  /** Writes groups in one transaction; returns the seq of each group's last entry. */
  commit(groups) {
    this.begin.run();
    const last = groups.map((group) => this.#write(group));
    this.end.run();
    return last;
  }

  close() {
    this.db.close();
  }

  #write({ entries, seen }) {
    for (const { ts, type, code, ref, tool, data, runId } of entries) {
      this.seq += 1;
      const at = ref ?? (type === 'tool_call_decision' ? this.seq - 1 : null);
      const fields = { code, data, ref: at, ri: 1, rp: RP, run_id: runId, tool, ts, type, v: 1 };
      const [run, name] = [this.#numberOf(runId), this.#numberOf(String(tool))];
      const body = JSON.stringify(fields);
      this.insert.run(this.seq, ts, run, at, KINDS[type], CODES[code] ?? 0, name, body, this.#hash);
    }
    if (seen !== undefined) this.claim.run(this.#numberOf(seen.runId), seen.id, this.seq);
    return this.seq;
  }

  #numberOf(name) {
    if (!this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size + 1);
    return this.#numbers.get(name);
  }
}
