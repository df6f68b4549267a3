import { type AnchorsActions, anchorsActions } from '@subluminal/anchors';
import type { ActionParts } from '../parts.js';

/** The actions that show the ledger to somebody outside. */
export function composeAnchors(from: ActionParts): AnchorsActions {
  const { headsLog, recorder, clock, log, ledger, dialer, resolver, settings } = from;
  const witnesses = { dialer, resolver, timeoutMs: () => settings.now.egress.timeout_ms };
  return anchorsActions({
    headsLog,
    recorder,
    clock,
    log,
    ledger,
    ledgerDb: from.paths.ledgerDb,
    witnesses,
  });
}
