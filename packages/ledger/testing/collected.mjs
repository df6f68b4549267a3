// node --expose-gc: prepares twenty statements in passing, once on a plain connection and once on one that
// holds them, and prints how many of each outlive a collection while their connection is in use.
import SqliteDatabase from 'better-sqlite3';
import { holdStatements } from '../dist/schema/statements.js';

async function survivors(db) {
  const made = Array.from({ length: 20 }, (_, at) => new WeakRef(db.prepare(`SELECT ${at}`)));
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
    globalThis.gc();
  }
  const alive = made.filter((statement) => statement.deref() !== undefined).length;
  db.close();
  return alive;
}

const plain = await survivors(new SqliteDatabase(':memory:'));
const held = await survivors(holdStatements(new SqliteDatabase(':memory:')));
process.stdout.write(JSON.stringify({ plain, held }));
