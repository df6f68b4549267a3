import Database from 'better-sqlite3';

/**
 * How often each of some servers was refused something, as the ledger has it: decisions other than ALLOW, and
 * drops.
 */
export class RefusalCount<Name extends string> {
  readonly #ledger: Database.Database;
  readonly #names: readonly Name[];

  constructor(path: string, names: readonly Name[]) {
    this.#ledger = new Database(path, { readonly: true });
    this.#names = names;
  }

  counts(): Record<Name, number> {
    const count = this.#ledger.prepare<[string], { n: number }>(
      `SELECT count(*) AS n FROM entry e LEFT JOIN entry d ON d.ref = e.seq AND d.kind = 3 AND e.kind = 2
       WHERE (e.kind = 32 OR (e.kind = 2 AND d.code <> 1)) AND e.body->>'$.tool[0]' = ?`,
    );
    return Object.fromEntries(this.#names.map((name) => [name, count.get(name)?.n ?? 0])) as Record<
      Name,
      number
    >;
  }

  close(): void {
    this.#ledger.close();
  }
}
