import SqliteDatabase, { type Database } from 'better-sqlite3';
import { ANOMALY_TABLES } from '../src/tables.js';

/** A database in memory with the tables of this wing. */
export function memoryDb(): Database {
  const db = new SqliteDatabase(':memory:');
  db.exec(ANOMALY_TABLES);
  return db;
}
