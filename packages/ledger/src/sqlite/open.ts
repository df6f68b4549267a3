import type { Database, Options, SqliteError as TypeOfError } from 'better-sqlite3';

/**
 * The SQLite that this Node runs, loaded here alone. Before Node 22 it is better-sqlite3 12, which a compiler
 * makes; since then 13, whose binaries come with it. 13 in an older Node ends the process.
 */
const FIRST_OF_13 = 22;
const { default: Sqlite } =
  Number.parseInt(process.versions.node, 10) < FIRST_OF_13
    ? await import('better-sqlite3-12')
    : await import('better-sqlite3');

/** An error of SQLite itself, with its `code`. */
export const SqliteError: typeof TypeOfError = Sqlite.SqliteError;

/** Opens a file, or `:memory:`. Throws `SqliteError`, and `TypeError` if its folder is not there. */
export function openDatabase(path: string, options: Options = {}): Database {
  return new Sqlite(path, options);
}
