import { resolve } from 'node:path';
import { isSublError, SublError } from '@subluminal/core-types';
import { assertHome } from '@subluminal/ipc';
import { LedgerProver } from '@subluminal/ledger';
import type { Call } from '../program/call.js';

/**
 * Opens the ledger of the home, or a copy, for proofs. Throws `home_missing`, `ledger_missing`,
 * `ledger_corrupt`.
 */
export function proverOf(call: Call, copy: string | undefined): LedgerProver {
  if (copy !== undefined) return proverOfCopy(resolve(copy));
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

function proverOfCopy(path: string): LedgerProver {
  try {
    return new LedgerProver(path);
  } catch (error) {
    if (!isSublError(error, 'ledger_missing')) throw error;
    throw new SublError(error.code, `\`--ledger\`: ${error.message}`, {
      cause: error,
      help: 'name a `ledger.db`, or a copy of one; without the option it is the ledger of the home',
    });
  }
}
