import * as z from 'zod';
import { canonicalize } from '../../json/canonicalize.js';
import { sha256Hex } from '../../hash/portable.js';
import { JsonObjectSchema, Label, Sha256Hex } from '../json.js';

/** Where an ingested run comes from: the ledger whose bundle it was, or a name for a file of events. */
export const IngestSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('bundle'), ledger_id: Label, genesis: Sha256Hex }),
  z.strictObject({ kind: z.literal('events'), name: Label }),
]);
export type IngestSource = z.infer<typeof IngestSource>;

/** The name of a run of another place. It is never a path, or a part of one that leads elsewhere. */
export const ForeignRunId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._:-]{0,255}$/, 'expected letters, digits and `._:-`')
  .refine((id) => !id.includes('..'), 'two dots may not follow each other');

/**
 * `run.ingest`: events of a run of another place, from the `first` on (0: its start). `verified`: of a
 * bundle, whether the pin of its ledger was named. Without events: the same run was verified better than
 * before.
 */
export const RunIngestPayload = z.strictObject({
  source: IngestSource,
  run_id: ForeignRunId,
  verified: z.enum(['pinned', 'consistent', 'none']),
  /** The asker, by the name of the user. */
  by: Label,
  first: z.number().int().nonnegative(),
  events: z.array(JsonObjectSchema).max(200),
});
export type RunIngestPayload = z.infer<typeof RunIngestPayload>;

/**
 * The name of an ingested run here. Its own id is only what its source calls it: two sources may use one id.
 */
export function ingestKey(source: IngestSource, runId: string): string {
  return `ing_${sha256Hex(canonicalize({ run_id: runId, source: { ...source } })).slice(0, 26)}`;
}

/** Tells whether a text is such a name. */
export function isIngestKey(text: string): boolean {
  return /^ing_[0-9a-f]{26}$/.test(text);
}
