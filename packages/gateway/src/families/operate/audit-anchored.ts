import { remember, type RememberParts } from '../../anchors/remember.js';
import { withProver } from '../../anchors/with-prover.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operateRecorded } from './operate.js';

/** `audit.anchored`: a head of the ledger was written down outside; the operator says where. */
export function auditAnchored(
  parts: RememberParts & { readonly ledgerDb: string },
): ActionOf<'audit.anchored'> {
  return operateRecorded((anchor, call) => {
    withProver(parts.ledgerDb, (prover) => prover.assertRoot(anchor));
    return remember(parts, anchor, call);
  });
}
