import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { IdentityStore } from '@subluminal/gateway';
import { openHomeDatabase } from './database.js';
import { openHomeLedger } from './ledger.js';
import { prepareHome } from './prepare.js';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'subl-home-'))));
afterEach(() => rmSync(home, { recursive: true }));

it('a ledger that the home cannot remember is closed again', async () => {
  const paths = homePaths(home);
  prepareHome(paths);
  const db = openHomeDatabase(paths.gatewayDb);
  const identities = new IdentityStore(db);
  identities.pin = () => {
    throw new Error('disk I/O error');
  };
  const opening = openHomeLedger({
    paths,
    identities,
    clock: () => 1,
    random: randomBytes,
    version: '0.1.0',
    durability: 'process',
    segmentBytes: Number.POSITIVE_INFINITY,
    headsLog: join(home, 'heads.log'),
  });
  await expect(opening).rejects.toThrow('disk I/O error');
  db.close();
  // A ledger that is open has a log beside it.
  expect([existsSync(paths.ledgerDb), existsSync(`${paths.ledgerDb}-wal`)]).toEqual([true, false]);
});
