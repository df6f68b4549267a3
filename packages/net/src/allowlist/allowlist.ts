import { readHost, SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { AllowQuery, Allowed } from '@subluminal/gateway';
import {
  type AllowEntry,
  type AllowInput,
  type AllowRow,
  type AllowTerms,
  fromRow,
  readTerms,
  toRow,
} from './allowlist-entry.js';

const MAX_ENTRIES = 10_000;

/**
 * The destinations that the operator allowed. Empty until someone adds an entry, and nothing else is allowed:
 * exact hosts only, no wildcards, no subdomains. Decisions are made in memory; the table is read once, since
 * the gateway holds its database alone.
 */
export class Allowlist implements Allowed {
  readonly #db: Database;
  readonly #clock: () => number;
  readonly #newId: () => string;
  #active: ReadonlyMap<string, readonly AllowEntry[]> = new Map();
  #generation = 0;

  /** `clock` gives epoch ms, `newId` a fresh id. Creates the table where there is none. */
  constructor(db: Database, clock: () => number, newId: () => string) {
    this.#db = db;
    this.#clock = clock;
    this.#newId = newId;
    this.#load();
  }

  /**
   * Rises with every change of the list, and of the rule for names that are not listed. A decision made under
   * another generation is made again.
   */
  get generation(): number {
    return this.#generation;
  }

  /**
   * The active entry that allows `query`: the one that names most of it, so that a narrow entry keeps its own
   * terms.
   */
  find(query: AllowQuery): AllowEntry | undefined {
    const entries = this.#active.get(query.host) ?? [];
    return entries.find(
      (entry) =>
        (entry.port === null || entry.port === query.port) &&
        (entry.protocol === null || entry.protocol === query.protocol || entry.protocol === query.inside),
    );
  }

  /** Tells whether an active entry, for any port and protocol, names the host. */
  isNamed(host: string): boolean {
    return this.#active.has(host);
  }

  /** The active entry for exactly that protocol, and never one for every protocol. */
  names(query: AllowQuery): AllowEntry | undefined {
    const entries = this.#active.get(query.host) ?? [];
    return entries.find(
      (entry) => (entry.port === null || entry.port === query.port) && entry.protocol === query.protocol,
    );
  }

  /**
   * Tells whether an active entry, of any protocol, covers that host and port. Without a port only an entry
   * for every port does. The pipeline uses `find`.
   */
  isAllowed(domain: string, port?: number): boolean {
    const reading = readHost(domain);
    if (!reading.ok) return false;
    const entries = this.#active.get(reading.host) ?? [];
    return entries.some((entry) => entry.port === null || entry.port === port);
  }

  /**
   * Adds an entry. One for the same host, port and protocol, active or not, is replaced. Throws
   * `invalid_domain` (wildcard, no host name, an address in a strange spelling), `address_refused`,
   * `invalid_request`, `overloaded`.
   */
  addService(input: AllowInput): AllowEntry {
    const terms = readTerms(input);
    const entry: AllowEntry = {
      id: this.#newId(),
      ...terms,
      added_at: new Date(this.#clock()).toISOString(),
      added_by: input.added_by ?? 'user',
      is_active: true,
    };
    this.#db.transaction(() => this.#replace(entry, terms))();
    this.#load();
    return entry;
  }

  /** Deletes an entry. Throws `not_found`. */
  removeService(id: string): void {
    this.#change('DELETE FROM allowed_services WHERE id = ?', id);
  }

  /** Keeps an entry but allows nothing by it. Throws `not_found`. */
  deactivateService(id: string): void {
    this.#change('UPDATE allowed_services SET is_active = 0 WHERE id = ?', id);
  }

  /** Every entry, the inactive ones too, oldest first. */
  listServices(): AllowEntry[] {
    return this.#db
      .prepare<[], AllowRow>('SELECT * FROM allowed_services ORDER BY added_at, id')
      .all()
      .map((row) => fromRow(row));
  }

  #replace(entry: AllowEntry, terms: AllowTerms): void {
    const row = toRow(entry);
    this.#db
      .prepare('DELETE FROM allowed_services WHERE domain = ? AND ifnull(port, 0) = ? AND protocol = ?')
      .run(row.domain, terms.port ?? 0, row.protocol);
    const count = this.#db.prepare<[], number>('SELECT count(*) FROM allowed_services').pluck().get() ?? 0;
    if (count >= MAX_ENTRIES) {
      throw new SublError('overloaded', `the allowlist is full (${MAX_ENTRIES} entries)`, {
        help: 'remove entries that are no longer needed',
      });
    }
    this.#db
      .prepare(
        `INSERT INTO allowed_services VALUES
           (@id, @service_name, @domain, @port, @protocol, @added_at, @added_by, @is_active, @allow_private)`,
      )
      .run(row);
  }

  #change(sql: string, id: string): void {
    if (this.#db.prepare(sql).run(id).changes === 0) {
      throw new SublError('not_found', `there is no allowlist entry \`${id}\``);
    }
    this.#load();
  }

  /** Has every decision made again, since the rule for names that are not on the list has changed. */
  renew(): void {
    this.#generation += 1;
  }

  #load(): void {
    const active = new Map<string, AllowEntry[]>();
    for (const entry of this.listServices()) {
      if (!entry.is_active) continue;
      const entries = active.get(entry.domain) ?? [];
      entries.push(entry);
      active.set(entry.domain, entries);
    }
    for (const entries of active.values()) entries.sort((a, b) => precision(b) - precision(a));
    this.#active = active;
    this.#generation += 1;
  }
}

function precision(entry: AllowEntry): number {
  return (entry.port === null ? 0 : 2) + (entry.protocol === null ? 0 : 1);
}
