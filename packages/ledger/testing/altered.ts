import type { Database } from 'better-sqlite3';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifyLedger, type Ledger, type VerifyOptions, type VerifyReport } from '../src/index.js';
import { Frontier } from '../src/merkle/frontier.js';
import { openReadOnly } from '../src/schema/connection.js';
import { Copy } from './attacks/book.js';
import { forge, steal } from './attacks/forge.js';
import { attack, Scratch, withoutTriggers } from './scratch.js';

/** A change to the tables of a ledger. */
export type Change = (db: Database) => void;

/** A small ledger, and what verify says of it after each of many single changes. */
export class Altered {
  readonly scratch: Scratch;
  /** The seal key that was in force when each of its files began. */
  readonly sealKeys: readonly KeyObject[];
  readonly #leaves: readonly string[];
  #copies = 0;

  private constructor(scratch: Scratch, sealKeys: readonly KeyObject[], leaves: readonly string[]) {
    this.scratch = scratch;
    this.sealKeys = sealKeys;
    this.#leaves = leaves;
  }

  /** Each `fill` writes a file of the ledger; the last one's goes on. */
  static async write(...fills: ((ledger: Ledger) => Promise<unknown>)[]): Promise<Altered> {
    const scratch = new Scratch();
    scratch.create();
    const options = fills.length > 1 ? { segmentBytes: 1 } : {};
    const keys: KeyObject[] = [];
    for (const fill of fills) {
      const ledger = await scratch.open(options);
      keys.push(createPrivateKey(readFileSync(scratch.sealKey)));
      await fill(ledger);
      await ledger.close();
    }
    const copy = Copy.of(scratch, join(scratch.folder, 'read'));
    const leaves = copy.files.flatMap(leavesOf);
    copy.remove();
    return new Altered(scratch, keys, leaves);
  }

  /**
   * The words of verify after a change to which nothing else was made to fit. `file`: 1 is the oldest; the
   * newest unless given.
   */
  async found(change: Change, file?: number): Promise<string> {
    const copy = this.copy();
    const path = file === undefined ? undefined : copy.files[file - 1];
    attack(path ?? copy.path, (db) => withoutTriggers(db, () => change(db)));
    return said(await this.verify(copy), copy);
  }

  /** The same without the memory outside. */
  async alone(change: Change): Promise<string> {
    const copy = this.copy();
    attack(copy.path, (db) => withoutTriggers(db, () => change(db)));
    return said(await verifyLedger(copy.path), copy);
  }

  /**
   * The same after whoever holds every key made all the rest of the newest file fit: hashes, chains, seals,
   * tiles and head. No memory stands against it. `from`: the first entry that is signed anew; behind the last
   * one, unless given. `isWhole`: the older files are there.
   */
  async forged(
    change: Change,
    { from, isWhole = true }: { readonly from?: number; readonly isWhole?: boolean } = {},
  ): Promise<string> {
    const copy = this.copy();
    if (!isWhole) rmSync(join(copy.folder, 'segments'), { recursive: true });
    const stolen = steal(copy);
    const seal = from === undefined ? stolen.seal : (this.sealKeys.at(-1) ?? stolen.seal);
    forge(copy, from ?? Number.MAX_SAFE_INTEGER, { ...stolen, seal }, change);
    return said(await verifyLedger(copy.path), copy);
  }

  /** The hashes of its first entries, oldest first, out of all its files. */
  leaves(count: number): readonly string[] {
    return this.#leaves.slice(0, count);
  }

  /** The tree over its first entries. */
  tree(size: number): Frontier {
    const tree = new Frontier();
    for (const leaf of this.leaves(size)) tree.push(leaf);
    return tree;
  }

  /** A copy of everything that belongs to it. */
  copy(): Copy {
    return Copy.of(this.scratch, join(this.scratch.folder, `copy-${(this.#copies += 1)}`));
  }

  verify(
    { path, headsLog }: Pick<Copy, 'path' | 'headsLog'>,
    options: VerifyOptions = {},
  ): Promise<VerifyReport> {
    return verifyLedger(path, { headsLog, ...options });
  }

  remove(): void {
    this.scratch.remove();
  }
}

function leavesOf(path: string): string[] {
  const db = openReadOnly(path);
  try {
    const hashes = db.prepare<[], Buffer>('SELECT hash FROM entry ORDER BY seq').pluck().all();
    return hashes.map((leaf) => leaf.toString('hex'));
  } finally {
    db.close();
  }
}

/** A report in a line: the finding, or the verdict. `copy` is not needed any more. */
export function said({ verdict, finding }: VerifyReport, copy?: Copy): string {
  copy?.remove();
  return finding === null ? verdict : `${finding.class} at ${finding.seq}: ${finding.detail}`;
}

/** SQL as a change. */
export const sql =
  (text: string): Change =>
  (db) =>
    void db.exec(text);

/**
 * Edits a table whose column types and constraints are out of the way meanwhile; its text is put back
 * afterwards.
 */
export const unbound =
  (table: string, from: string, to: string, edit: string): Change =>
  (db) => {
    const find = db.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck();
    const text = find.get(table);
    const retext = (other: string | undefined): void => {
      db.pragma('writable_schema=ON');
      db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(other, table);
      db.pragma('writable_schema=RESET');
    };
    retext(text?.replace(from, to).replace(/\) STRICT(, )?/, ') '));
    db.exec(edit);
    retext(text);
  };
