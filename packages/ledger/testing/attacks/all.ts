import type { Attack } from './attack.js';
import { ENTRY_ATTACKS } from './entries.js';
import { FILE_ATTACKS } from './files.js';
import { HEAD_ATTACKS } from './heads.js';
import { PAIR_ATTACKS } from './pairs.js';
import { SEAL_ATTACKS } from './seals.js';
import { STORAGE_ATTACKS } from './storage.js';

/** All that are carried out on a ledger. */
export const ATTACKS: readonly Attack[] = [
  ...ENTRY_ATTACKS,
  ...SEAL_ATTACKS,
  ...STORAGE_ATTACKS,
  ...HEAD_ATTACKS,
  ...PAIR_ATTACKS,
  ...FILE_ATTACKS,
];

/** Those that strike at an entry. */
export const ROW_ATTACKS: readonly Attack[] = ATTACKS.filter(({ places }) => places === 'rows');
