/** The complete public surface of @subluminal/anchors: named exports only. */
export { auditAnchor } from './audit-anchor.js';
export { auditAnchored } from './audit-anchored.js';
export { auditCheckpoint } from './audit-checkpoint.js';
