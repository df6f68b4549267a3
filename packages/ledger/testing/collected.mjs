// node --expose-gc: prepares twenty statements in passing, once on a plain connection and once on one that
// holds them, and prints how many of each outlive a collection while their connection is in use.
import { holdStatements } from '../dist/schema/statements.js';
import { openDatabase } from '../dist/sqlite/open.js';

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

const plain = await survivors(openDatabase(':memory:'));
const held = await survivors(holdStatements(openDatabase(':memory:')));
process.stdout.write(JSON.stringify({ plain, held }));
