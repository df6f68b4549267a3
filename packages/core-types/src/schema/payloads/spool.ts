import * as z from 'zod';
import { MAX_SPOOL_BYTES } from '../../away/spool-limits.js';
import { Label, Sha256Hex } from '../json.js';

/**
 * `spool.ingest`: a shim is back. It says which one it is, and hands over what it did while the gateway was
 * away: the text of its spool, how many lines and calls it wrote and the hash of the last line. Without
 * `spool` there was nothing.
 */
export const SpoolIngestPayload = z.strictObject({
  shim_id: Label,
  server_name: Label,
  spool: z
    .strictObject({
      text: z.string().min(1).max(MAX_SPOOL_BYTES),
      lines: z.number().int().positive(),
      calls: z.number().int().nonnegative(),
      last: Sha256Hex,
    })
    .optional(),
});
export type SpoolIngestPayload = z.infer<typeof SpoolIngestPayload>;
