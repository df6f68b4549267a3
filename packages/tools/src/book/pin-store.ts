import type { Database } from 'better-sqlite3';

/** A server whose tools are known. `pinned_ms` is null until a complete list was seen. */
export interface ServerRow {
  readonly server: string;
  readonly pinned_ms: number | null;
  readonly argv_hash: string;
  readonly program_hash: string | null;
}

/** A definition that is approved: by being the first, or by the operator. */
export interface StoredPin {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly shape: string;
  readonly definition: string;
  /** Rises with every pin: of two tools with one name the lesser was there first. */
  readonly since: number;
  /** 1: the newest complete list did not have it. */
  readonly missing: number;
  /** 1: approved although another server has a tool of that name. */
  readonly beside: number;
}

/** A definition that is not approved. */
export interface StoredHeld {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly shape: string;
  readonly definition: string;
  /** A `Reason` as JSON. */
  readonly reason: string;
  readonly held_ms: number;
}

/** Either of them with the risk classes that its annotations add, as they were read with the definition. */
export type PinRow = StoredPin & Raising;
export type HeldRow = StoredHeld & Raising;

interface Raising {
  readonly raised: readonly string[];
}

/** A client's capabilities (their hash; empty: not told), and the pins of its first list. */
export interface ClientRow {
  readonly server: string;
  readonly client: string;
  /** `since` of those pins; 0: none. */
  readonly since: number;
}

/** What changes together. */
export interface PinChange {
  readonly server: ServerRow;
  /** A client that can do something else than those before, of which a whole list was seen. */
  readonly client?: ClientRow | undefined;
  readonly pins?: readonly PinRow[];
  readonly held?: readonly HeldRow[];
  /** Tools that are no longer held. */
  readonly released?: readonly string[];
  /** Pinned tools that the newest complete list had not, or had again. */
  readonly vanished?: readonly string[];
  readonly returned?: readonly string[];
}

/** Definitions of tools across restarts. Which of them count is `ToolBook`'s to say. */
export class PinStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  servers(): ServerRow[] {
    return this.#db.prepare<[], ServerRow>('SELECT * FROM tool_server').all();
  }

  /** In the order in which they came. */
  clients(): ClientRow[] {
    return this.#db.prepare<[], ClientRow>('SELECT * FROM tool_client ORDER BY rowid').all();
  }

  /**
   * Every approved definition, the first there was in front, and one at a time: all texts together may be
   * large.
   */
  pins(): IterableIterator<StoredPin> {
    return this.#db.prepare<[], StoredPin>('SELECT * FROM tool_pin ORDER BY since, server, tool').iterate();
  }

  held(): IterableIterator<StoredHeld> {
    return this.#db.prepare<[], StoredHeld>('SELECT * FROM tool_held ORDER BY server, tool').iterate();
  }

  /** The canonical JSON of a definition, undefined where there is none. */
  definition(table: 'tool_pin' | 'tool_held', server: string, tool: string): string | undefined {
    return this.#db
      .prepare<[string, string], string>(`SELECT definition FROM ${table} WHERE server = ? AND tool = ?`)
      .pluck()
      .get(server, tool);
  }

  /** All of it, or nothing. */
  apply(change: PinChange): void {
    this.#db.transaction(() => this.#write(change))();
  }

  /** Forgets a server. */
  forget(server: string): void {
    this.#db.transaction(() => {
      for (const table of ['tool_server', 'tool_client', 'tool_pin', 'tool_held']) {
        this.#db.prepare(`DELETE FROM ${table} WHERE server = ?`).run(server);
      }
    })();
  }

  #write(change: PinChange): void {
    const { server, client, pins = [], held = [], released = [], vanished = [], returned = [] } = change;
    this.#db
      .prepare('INSERT OR REPLACE INTO tool_server VALUES(@server, @pinned_ms, @argv_hash, @program_hash)')
      .run(server);
    if (client !== undefined) {
      this.#db.prepare('INSERT OR REPLACE INTO tool_client VALUES(@server, @client, @since)').run(client);
    }
    const release = this.#db.prepare('DELETE FROM tool_held WHERE server = ? AND tool = ?');
    for (const tool of released) release.run(server.server, tool);
    const pin = this.#db.prepare(
      `INSERT OR REPLACE INTO tool_pin
       VALUES(@server, @tool, @hash, @shape, @definition, @since, @missing, @beside)`,
    );
    for (const row of pins) pin.run(row);
    const hold = this.#db.prepare(
      'INSERT OR REPLACE INTO tool_held VALUES(@server, @tool, @hash, @shape, @definition, @reason, @held_ms)',
    );
    for (const row of held) hold.run(row);
    const mark = this.#db.prepare('UPDATE tool_pin SET missing = ? WHERE server = ? AND tool = ?');
    for (const tool of vanished) mark.run(1, server.server, tool);
    for (const tool of returned) mark.run(0, server.server, tool);
  }
}
