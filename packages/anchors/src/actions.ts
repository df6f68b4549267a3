import type { ActionTable } from '@subluminal/gateway';
import { auditAnchor, type AuditAnchorParts } from './audit-anchor.js';
import { auditAnchored } from './audit-anchored.js';
import { auditCheckpoint } from './audit-checkpoint.js';

/** The actions of this wing. */
export type AnchorsActions = Pick<ActionTable, 'audit.anchored' | 'audit.anchor' | 'audit.checkpoint'>;

export function anchorsActions(parts: AuditAnchorParts): AnchorsActions {
  return {
    'audit.anchored': auditAnchored(parts),
    'audit.anchor': auditAnchor(parts),
    'audit.checkpoint': auditCheckpoint(parts.ledger, parts.ledgerDb),
  };
}
