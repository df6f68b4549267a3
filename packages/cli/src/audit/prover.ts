import { resolve } from 'node:path';
import { isSublError, SublError } from '@subluminal/core-types';
import { assertHome } from '@subluminal/ipc';
import { LedgerProver } from '@subluminal/ledger';
import type { Call } from '../program/call.js';

/** Opens the ledger of the home, or a copy, for proofs. Throws `home_missing`, `ledger_missing`, `ledger_corrupt`. */
export function proverOf(call: Call, copy: string | undefined): LedgerProver {
  if (copy !== undefined) return new LedgerProver(resolve(copy));
  try {
    return new LedgerProver(call.home.ledgerDb);
  } catch (error) {
    if (!isSublError(error, 'ledger_missing')) throw error;
    assertHome(call.home);
    throw new SublError(error.code, error.message, {
      cause: error,
      help: error.help ?? 'run `sub up` once to create it',
    });
  }
}
