import SqliteDatabase, { type Database } from 'better-sqlite3';
import { TOOLS_TABLES } from '../src/book/tables.js';

/** A database in memory with the tables of the pins. */
export function memoryDb(): Database {
  const db = new SqliteDatabase(':memory:');
  db.exec(TOOLS_TABLES);
  return db;
}
