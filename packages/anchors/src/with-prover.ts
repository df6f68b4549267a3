import { isSublError, SublError } from '@subluminal/core-types';
import { LedgerProver } from '@subluminal/ledger';

/**
 * Works with a prover of the ledger, and closes it. A head that the ledger never had is `invalid_request`.
 */
export function withProver<T>(ledgerDb: string, work: (prover: LedgerProver) => T): T {
  const prover = new LedgerProver(ledgerDb);
  try {
    return work(prover);
  } catch (error) {
    if (isSublError(error, 'not_found'))
      throw new SublError('invalid_request', error.message, { cause: error });
    throw error;
  } finally {
    prover.close();
  }
}
