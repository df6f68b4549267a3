import type { Database } from 'better-sqlite3';

/**
 * The facts that are kept of the door for HTTP, so that a client's configuration is good for longer than one
 * gateway.
 */
export interface KeptDoor {
  readonly port: number;
  /** What the enrol token is derived from. */
  readonly nonce: string;
  /** Whether a gateway opens it when it starts. */
  readonly isOpen: boolean;
}

interface Row {
  readonly port: number;
  readonly nonce: string;
  readonly is_open: number;
}

/** Where MCP servers over HTTP are reached. */
export class HttpDoorStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined where the operator never asked for one. */
  read(): KeptDoor | undefined {
    const row = this.#db.prepare<[], Row>('SELECT port, nonce, is_open FROM http_door').get();
    return row === undefined ? undefined : { port: row.port, nonce: row.nonce, isOpen: row.is_open === 1 };
  }

  write({ port, nonce, isOpen }: KeptDoor): void {
    this.#db.prepare('INSERT OR REPLACE INTO http_door VALUES(1, ?, ?, ?)').run(port, nonce, isOpen ? 1 : 0);
  }
}
