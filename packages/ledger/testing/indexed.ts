import { openReadOnly } from '../src/schema/connection.js';
import { loadGenesis } from '../src/genesis/load.js';
import { Filler } from '../src/lookup/filler.js';
import { readBase } from '../src/segments/base.js';

/** Takes the index of a ledger so many blocks further, as its writer does; gives how far it goes. */
export function indexBlocks(path: string, blocks: number): number {
  const db = openReadOnly(path);
  const base = readBase(db);
  if (base === undefined) throw new Error('no base');
  const filler = new Filler({ db, base, ledger: loadGenesis(db, path).fingerprint });
  try {
    let upTo = 0;
    for (let left = blocks; left > 0; left -= 1) {
      const report = filler.step();
      if (report.failure !== null) throw new Error(report.failure);
      if (report.upTo === upTo) break;
      ({ upTo } = report);
    }
    return upTo;
  } finally {
    filler.close();
    db.close();
  }
}
