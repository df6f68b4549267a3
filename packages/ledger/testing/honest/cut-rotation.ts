import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReadOnly, openWriter } from '../../src/schema/connection.js';
import { openStore } from '../../src/store/open-store.js';
import { closedName } from '../../src/segments/closed.js';
import { readBase } from '../../src/segments/base.js';

import type { Copy } from '../attacks/book.js';
import { SIGNING_KEY } from '../scratch.js';
import type { Chance } from './chance.js';

/**
 * Leaves of a rotation what a crash leaves: the file has ended; there is nothing else, half of a draft, or
 * its second name.
 */
export function cutRotation(home: Copy, chance: Chance, nowMs: number): void {
  const { store } = openStore({
    path: home.path,
    privateKey: SIGNING_KEY,
    sealKeyPath: home.sealKey,
    headsLog: home.headsLog,
    durability: 'fsync',
    nowMs,
    openDatabase: openWriter,
  });
  const hasEnded = store.endFile(nowMs);
  const last = store.tip.seq;
  store.close();
  if (!hasEnded) throw new Error('somebody reads the ledger');
  if (chance.once(2)) writeFileSync(`${home.path}.next`, 'half of a draft');
  if (chance.once(2)) return;
  const db = openReadOnly(home.path);
  const base = readBase(db);
  db.close();
  const folder = join(home.folder, 'segments');
  mkdirSync(folder, { recursive: true });
  const name = closedName({ number: base?.segment ?? 0, first: (base?.seq ?? 0) + 1, last });
  linkSync(home.path, join(folder, name));
}
