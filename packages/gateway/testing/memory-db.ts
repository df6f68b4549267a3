import SqliteDatabase, { type Database } from 'better-sqlite3';
import { createTables } from '../src/store/schema.js';

/** A database in memory with the tables of the core. */
export function memoryDb(): Database {
  const db = new SqliteDatabase(':memory:');
  createTables(db, []);
  return db;
}
