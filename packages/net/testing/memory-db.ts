import SqliteDatabase, { type Database } from 'better-sqlite3';
import { NET_TABLES } from '../src/allowlist/tables.js';

/** A database in memory with the tables of this wing. */
export function memoryDb(): Database {
  const db = new SqliteDatabase(':memory:');
  db.exec(NET_TABLES);
  return db;
}
