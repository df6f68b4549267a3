import * as z from 'zod';
import { recordOf, Sha256Hex } from '../json.js';

const Line = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^\P{Cc}*$/u, 'control characters are not allowed');

/** `audit.anchored`: the operator's command line put a checkpoint somewhere outside, and says where. */
export const AuditAnchoredPayload = z.strictObject({
  kind: z.enum(['file', 'git', 'cmd']),
  /** The file, the repository, or the command. */
  target: Line,
  size: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  root: Sha256Hex,
  evidence: recordOf(z.string().regex(/^[a-z0-9_]{1,32}$/), Line),
});
export type AuditAnchoredPayload = z.infer<typeof AuditAnchoredPayload>;

/** `audit.anchor`: the gateway has a witness cosign the ledger's head. */
export const AuditAnchorPayload = z.strictObject({
  /** Submission prefix of the witness (C2SP tlog-witness). */
  url: Line,
  /** Its verifier key, of the cosignature type. */
  witness: Line,
});
export type AuditAnchorPayload = z.infer<typeof AuditAnchorPayload>;
