import { sha256Hex } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { corrupt } from '../head/row.js';
import { assertReadable } from '../schema/check.js';
import { schemaHash } from '../schema/ddl.js';
import { readGenesis, type Genesis } from './record.js';

/**
 * Reads the genesis record of an open ledger. `known` is that of another file of the same ledger: the same
 * record is not parsed again.
 *
 * @throws SublError `ledger_corrupt`, `home_too_old`, `not_available` (a later version wrote it).
 */
export function loadGenesis(db: Database, path: string, known?: Genesis): Genesis {
  assertReadable(db);
  const record = db.prepare<[], string>('SELECT record FROM genesis WHERE id = 1').pluck().get();
  const isKnown = record !== undefined && sha256Hex(record) === known?.fingerprint;
  const genesis = record === undefined ? undefined : isKnown ? known : readGenesis(record);
  if (genesis === undefined) throw corrupt(path, 'there is no readable genesis record');
  if (genesis.schemaHash !== schemaHash()) throw corrupt(path, 'the genesis record names another schema');
  return genesis;
}
