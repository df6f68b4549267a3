import type { Ledger } from '@subluminal/ledger';
import { withProver } from './with-prover.js';
import { type ActionOf, read } from '@subluminal/gateway';

/** `audit.checkpoint`: the newest signed head. */
export function auditCheckpoint(
  ledger: Pick<Ledger, 'flushHead'>,
  ledgerDb: string,
): ActionOf<'audit.checkpoint'> {
  return read(async () => {
    await ledger.flushHead('idle');
    return withProver(ledgerDb, (prover) => {
      const { note, size, root } = prover.head();
      return { note, size, root };
    });
  });
}
