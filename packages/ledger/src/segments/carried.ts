import type { Database } from 'better-sqlite3';
import { KINDS } from '../entry/kinds.js';
import { DICT_KINDS, Dictionary } from '../store/dictionary.js';

/** An entry of an older file that a later one may still refer to. */
export interface CarriedEntry {
  readonly seq: number;
  readonly kind: number;
  readonly code: number;
  /** JSON text of the run's id; null where it belongs to none. */
  readonly run: string | null;
}

/** The chain of a run that has not ended, where an older file left it. */
export interface CarriedRun {
  /** JSON text of the run's id; null for the gateway's own chain. */
  readonly run: string | null;
  /** Index of the next entry. */
  readonly next: number;
  /** Leaf of the last entry, lowercase hex. */
  readonly last: string;
}

/**
 * The parts that go on from one file of a ledger to the next: entries by their seq, the gateway's chain and
 * then runs by their id.
 */
export interface Carried {
  readonly entries: readonly CarriedEntry[];
  readonly runs: readonly CarriedRun[];
}

/** As many approvals that nobody has used go on, the newest: no one waits for an older one. */
const MAX_GRANTS = 4096;

interface NumberedEntry {
  readonly seq: number;
  readonly kind: number;
  readonly code: number;
  readonly run: number | null;
}

interface NumberedRun {
  readonly run: number;
  readonly next: number;
  readonly last: Buffer;
}

/**
 * Collects what goes on from a file that ends. `open`: the pendings without a result. Of approvals and starts
 * of upstreams those go on that nothing refers to yet, the latter while their run lasts.
 */
export function collectCarried(db: Database, open: Iterable<number>): Carried {
  const names = namesOf(db);
  const runs = openRuns(db, names);
  const alive = new Set(runs.map(({ run }) => run));
  const find = db.prepare<[number, number], NumberedEntry>(
    `SELECT seq, kind, code, run FROM entry WHERE seq = ?
    UNION ALL SELECT seq, kind, code, nullif(run, 0) FROM carried WHERE seq = ?`,
  );
  const pendings = [...open].flatMap((seq) => find.get(seq, seq) ?? []);
  const ofKind = db.prepare<[number, number], NumberedEntry>(
    `SELECT seq, kind, code, run FROM entry e WHERE kind = ? AND kind NOT IN (2,3,4,20,21)
    AND NOT EXISTS(SELECT 1 FROM entry r WHERE r.ref = e.seq)
    UNION ALL SELECT seq, kind, code, nullif(run, 0) FROM carried c WHERE kind = ?
    AND NOT EXISTS(SELECT 1 FROM entry r WHERE r.ref = c.seq)
    ORDER BY seq`,
  );
  const named = ({ seq, kind, code, run }: NumberedEntry): CarriedEntry => ({
    seq,
    kind,
    code,
    run: run === null ? null : names(run),
  });
  const grants = ofKind.all(KINDS.approval_granted, KINDS.approval_granted).slice(-MAX_GRANTS).map(named);
  const upstreams = ofKind
    .all(KINDS.upstream_begin, KINDS.upstream_begin)
    .map(named)
    .filter(({ run }) => run !== null && alive.has(run));
  return {
    entries: [...pendings.map(named), ...grants, ...upstreams].toSorted((a, b) => a.seq - b.seq),
    runs,
  };
}

/**
 * Writes it into a new file, before its first entry: runs and then entries, each of whose runs gets its
 * number here.
 */
export function writeCarried(db: Database, { entries, runs }: Carried): void {
  const dict = new Dictionary(db);
  const number = (run: string | null): number => (run === null ? 0 : dict.intern(DICT_KINDS.run, run));
  const insertRun = db.prepare('INSERT INTO carried_run(run, next, last) VALUES(?,?,?)');
  for (const { run, next, last } of runs) insertRun.run(number(run), next, Buffer.from(last, 'hex'));
  const insert = db.prepare('INSERT INTO carried(seq, kind, code, run) VALUES(?,?,?,?)');
  for (const { seq, kind, code, run } of entries) insert.run(seq, kind, code, number(run));
}

/** Reads what `writeCarried` wrote. */
export function readCarried(db: Database): Carried {
  const names = namesOf(db);
  const name = (run: number): string | null => (run === 0 ? null : names(run));
  const runs = db
    .prepare<[], NumberedRun>('SELECT run, next, last FROM carried_run')
    .all()
    .map(({ run, next, last }) => ({ run: name(run), next, last: last.toString('hex') }));
  const entries = db
    .prepare<[], { seq: number; kind: number; code: number; run: number }>(
      'SELECT seq, kind, code, run FROM carried ORDER BY seq',
    )
    .all()
    .map((entry) => ({ ...entry, run: name(entry.run) }));
  return { entries, runs: runs.toSorted(byRun) };
}

/** The chains without an end: of this file's entries, and of older ones that had no entry here. */
function openRuns(db: Database, names: (run: number) => string): CarriedRun[] {
  const tips = db
    .prepare<[], { run: number; last: number }>(
      'SELECT run, max(seq) AS last FROM entry INDEXED BY e_run WHERE run IS NOT NULL GROUP BY run',
    )
    .all();
  const system = db.prepare<[], number | null>('SELECT max(seq) FROM entry WHERE run IS NULL').pluck().get();
  const tip = db.prepare<[number], { kind: number; next: number; last: Buffer }>(
    `SELECT kind, (body->>'$.ri') + 1 AS next, hash AS last FROM entry WHERE seq = ?`,
  );
  const found = new Map<number, CarriedRun | null>();
  const lasts = system === null || system === undefined ? tips : [{ run: 0, last: system }, ...tips];
  for (const { run, last } of lasts) {
    const row = tip.get(last);
    if (row === undefined) continue;
    const goesOn = run === 0 || row.kind !== KINDS.run_end;
    found.set(run, goesOn ? chain(run, row.next, row.last, names) : null);
  }
  for (const { run, next, last } of db
    .prepare<[], NumberedRun>('SELECT run, next, last FROM carried_run')
    .all()) {
    if (!found.has(run)) found.set(run, chain(run, next, last, names));
  }
  return [...found.values()].flatMap((run) => run ?? []).toSorted(byRun);
}

function chain(run: number, next: number, last: Buffer, names: (run: number) => string): CarriedRun {
  return { run: run === 0 ? null : names(run), next, last: last.toString('hex') };
}

function namesOf(db: Database): (run: number) => string {
  const find = db.prepare<[number], string>('SELECT name FROM dict WHERE id = ? AND kind = 1').pluck();
  return (run) => find.get(run) ?? '';
}

/** The gateway's chain first, then by the text of the id. */
function byRun(a: CarriedRun, b: CarriedRun): number {
  const [one, other] = [a.run ?? '', b.run ?? ''];
  return one < other ? -1 : one > other ? 1 : 0;
}
