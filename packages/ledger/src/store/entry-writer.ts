import { sha256Hex, preimage } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { bodyPrefix, bodySuffix } from '../entry/format.js';
import type { EntryPosition } from '../entry/input.js';
import { closesEffect, nameOfCode, opensEffect, typeOfKind } from '../entry/kinds.js';
import type { PreparedEntry, PreparedGroup } from '../entry/prepare.js';
import { BLOBS_AN_ENTRY } from '../schema/ddl.js';
import { Claims } from './claims.js';
import { DICT_KINDS, dictKindOfTool, Dictionary } from './dictionary.js';
import { EntryRows } from './entry-rows.js';
import type { HeadKeeper } from './head-keeper.js';
import { ManyRows } from './many-rows.js';
import { RunChains } from './run-chains.js';

/** Where entries are written. */
export interface EntryWriterParts {
  readonly db: Database;
  readonly ledgerId: string;
  /** The newest entry. */
  readonly tip: EntryPosition;
  readonly heads: Pick<HeadKeeper, 'push'>;
  /** Pendings without a result. */
  readonly open: Set<number>;
}

/**
 * Chains entries to the newest one and writes them, with their previews and claims. Call inside a
 * transaction; what was added may wait until `flush`.
 */
export class EntryWriter {
  readonly dict: Dictionary;
  readonly runs: RunChains;
  readonly rows: EntryRows;
  readonly claims: Claims;
  readonly #ledgerId: string;
  readonly #heads: EntryWriterParts['heads'];
  readonly #open: Set<number>;
  readonly #blobs: ManyRows;
  #seq: number;
  #leaf: string;

  constructor({ db, ledgerId, tip, heads, open }: EntryWriterParts) {
    this.dict = new Dictionary(db);
    this.rows = new EntryRows(db);
    this.claims = new Claims(db);
    this.runs = new RunChains(db, this.rows);
    this.#blobs = new ManyRows(db, 'blob', ['id', 'slot', 'salt', 'data']);
    this.#ledgerId = ledgerId;
    this.#heads = heads;
    this.#open = open;
    this.#seq = tip.seq;
    this.#leaf = tip.leaf;
  }

  /** The newest entry, those that wait included. */
  get tip(): EntryPosition {
    return { seq: this.#seq, leaf: this.#leaf };
  }

  get seq(): number {
    return this.#seq;
  }

  /** Adds a group that was admitted, with the request id that it claims. */
  addGroup({ entries, seen }: PreparedGroup): readonly EntryPosition[] {
    const first = this.#seq + 1;
    const written = entries.map((entry) => this.add(entry, first));
    if (seen !== null) {
      const run = seen.run === null ? 0 : this.dict.intern(DICT_KINDS.run, seen.run);
      this.claims.add(run, seen.id, first + seen.entry);
    }
    return written;
  }

  /** Adds an entry; `first` is the number of the first one of its group. */
  add(entry: PreparedEntry, first = this.#seq + 1): EntryPosition {
    const seq = this.#seq + 1;
    const ref = typeof entry.ref === 'object' && entry.ref !== null ? first + entry.ref.entry : entry.ref;
    const run = entry.run === null ? null : this.dict.intern(DICT_KINDS.run, entry.run);
    const tool = entry.tool === null ? null : this.dict.intern(dictKindOfTool(entry.tool), entry.tool);
    const chain = this.runs.get(run ?? 0);
    const body = renderBody(entry, ref, chain.next, chain.last);
    const leaf = sha256Hex(preimage(this.#ledgerId, seq, this.#leaf, body));
    const { ts, kind, code } = entry;
    this.rows.add({ seq, ts, run, ref, kind, code, tool, body }, leaf);
    for (const [at, { slot, salt, data }] of entry.blobs.entries())
      this.#blobs.add(seq * BLOBS_AN_ENTRY + at, slot, salt, data);
    this.runs.advance(run ?? 0, chain, leaf, kind);
    this.#heads.push(leaf);
    if (opensEffect(kind, code)) this.#open.add(seq);
    if (ref !== null && closesEffect(kind)) this.#open.delete(ref);
    this.#seq = seq;
    this.#leaf = leaf;
    return { seq, leaf };
  }

  /** Writes what waits. Call before COMMIT. */
  flush(): void {
    for (const rows of [this.rows, this.#blobs, this.claims]) rows.flush();
  }
}

function renderBody(entry: PreparedEntry, ref: number | null, ri: number, rp: string): string {
  const type = typeOfKind(entry.kind);
  const code = nameOfCode(entry.code);
  if (type === undefined || code === undefined)
    throw new TypeError('a prepared entry has an unknown kind or code');
  const { run, tool, ts } = entry;
  return `${bodyPrefix(code)}${entry.data}${bodySuffix({ ref, ri, rp, run, tool, ts, type })}`;
}
