import SqliteDatabase, { type Database } from 'better-sqlite3';
import { APPROVALS_TABLES } from '../src/requests/tables.js';

/** A database in memory with the table of approvals. */
export function memoryDb(): Database {
  const db = new SqliteDatabase(':memory:');
  db.exec(APPROVALS_TABLES);
  return db;
}
