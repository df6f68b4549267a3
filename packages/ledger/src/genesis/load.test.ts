import { createPublicKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import { schemaHash } from '../schema/ddl.js';
import { openDatabase } from '../sqlite/open.js';
import { loadGenesis } from './load.js';
import { genesisRecord } from './record.js';

const record = (schema = schemaHash()): string =>
  genesisRecord({
    ledgerId: 'L1',
    createdMs: 5,
    schemaHash: schema,
    version: '0.1.0',
    publicKey: createPublicKey(SIGNING_KEY),
    sealKey: createPublicKey(keyFromSeed(8)),
  });

describe('the genesis record of an open ledger', () => {
  let db: ReturnType<typeof openDatabase>;
  beforeEach(() => {
    db = openDatabase(':memory:');
    db.exec('CREATE TABLE genesis(id INTEGER PRIMARY KEY, record TEXT NOT NULL)');
  });
  afterEach(() => db.close());

  const write = (text: string): void => {
    db.prepare('INSERT OR REPLACE INTO genesis VALUES(1, ?)').run(text);
  };
  const why = (): unknown => {
    try {
      return loadGenesis(db, 'ledger.db');
    } catch (error) {
      return error;
    }
  };

  it('is read once for all files that hold the same one', () => {
    write(record());
    const genesis = loadGenesis(db, 'ledger.db');
    expect(loadGenesis(db, 'ledger.db')).not.toBe(genesis);
    expect(loadGenesis(db, 'ledger.db', genesis)).toBe(genesis);
    const other = { ...genesis, fingerprint: '0'.repeat(64) };
    expect(loadGenesis(db, 'ledger.db', other).fingerprint).toBe(genesis.fingerprint);
  });

  it.each([
    ['is not there', undefined, 'there is no readable genesis record'],
    ['is none', '{}', 'there is no readable genesis record'],
    ['names another schema', record('ab'.repeat(32)), 'the genesis record names another schema'],
  ])('is refused if it %s', (_, text, message) => {
    if (text !== undefined) write(text);
    expect(why()).toMatchObject({ code: 'ledger_corrupt', message: expect.stringContaining(message) });
  });
});
