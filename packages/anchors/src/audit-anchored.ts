import { type RememberParts, remember } from './remember.js';
import { withProver } from './with-prover.js';
import { type ActionOf, operateRecorded } from '@subluminal/gateway';

/** `audit.anchored`: a head of the ledger was written down outside; the operator says where. */
export function auditAnchored(
  parts: RememberParts & { readonly ledgerDb: string },
): ActionOf<'audit.anchored'> {
  return operateRecorded((anchor, call) => {
    withProver(parts.ledgerDb, (prover) => prover.assertRoot(anchor));
    return remember(parts, anchor, call);
  });
}
