import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Scratch } from './scratch.js';

const FIXTURES = new URL('fixtures/', import.meta.url);

/** What a writer of layout 1 left: 306 entries of four runs, one call open, signed by `SIGNING_KEY`. */
export const LAYOUT_1 = {
  entries: 306,
  fingerprint: 'edf2df1b9ac0444f64da69c13aae0e2b63ed8d59945071d34d4db0cf5b991788',
  root: 'd2afee2ee45473c3aefaebbd73c5f67790b1e13e645dede3a9e3e2068148a702',
} as const;

/** A scratch folder that holds that ledger and its heads.log. */
export function layout1(): Scratch {
  const scratch = new Scratch();
  copyFileSync(new URL('layout-1.db', FIXTURES), scratch.path);
  mkdirSync(dirname(scratch.headsLog), { recursive: true });
  copyFileSync(new URL('layout-1.heads', FIXTURES), scratch.headsLog);
  return scratch;
}
