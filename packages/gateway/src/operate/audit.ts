import { LedgerProver, type Ledger } from '@subluminal/ledger';
import type { HomePaths } from '@subluminal/ipc';
import type { ActionHandler } from '../pipeline/handlers.js';
import { success } from '../pipeline/reply.js';

/** What the actions on the ledger's proofs work with. */
export interface AuditHandlerParts {
  readonly paths: HomePaths;
  readonly ledger: Ledger;
}

/** The operator's actions on proofs of the ledger. */
export function auditHandlers(parts: AuditHandlerParts): Readonly<Record<'audit.checkpoint', ActionHandler>> {
  return {
    'audit.checkpoint': {
      execute: async () => {
        const head = await freshHead(parts);
        return success({ note: head.note, size: head.size, root: head.root });
      },
    },
  };
}

/** Signs a head over all that is durable, and reads it back as anyone else would. */
async function freshHead({ paths, ledger }: AuditHandlerParts): Promise<ReturnType<LedgerProver['head']>> {
  await ledger.flushHead('idle');
  const prover = new LedgerProver(paths.ledgerDb);
  try {
    return prover.head();
  } finally {
    prover.close();
  }
}
