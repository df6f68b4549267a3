import type { Database } from 'better-sqlite3';
import { layoutOf } from '../schema/check.js';
import { schemaHash } from '../schema/ddl.js';
import type { Genesis } from './record.js';

/**
 * Holds the genesis record against the file that it stands in.
 *
 * @returns what does not fit, or null.
 */
export function genesisMismatch(db: Database, genesis: Genesis): string | null {
  if (genesis.schemaHash !== schemaHash(genesis.layout)) return 'the genesis record names another schema';
  const layout = layoutOf(db);
  return layout === undefined || layout < genesis.layout
    ? `the file has an older layout than the ${genesis.layout} that it was created with`
    : null;
}
