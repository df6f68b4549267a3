import { valueAt, numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { knownArgs, type KnownArgs } from '@subluminal/policy';
import type { CallRecord } from '../record.js';

const SLOT = 'call.preview.args_preview';

/**
 * The recorded arguments of a call: its preview, and those that its decision noted because rules looked at
 * them.
 */
export function argsOf(reader: LedgerReader, { first, decision }: CallRecord): KnownArgs {
  const preview = Object.hasOwn(first.blobs, SLOT) ? reader.blob(first.seq, SLOT) : null;
  return argsFrom(first.data, decision?.data ?? {}, preview);
}

/** The same from the data of the two entries. */
export function argsFrom(start: JsonObject, decision: JsonObject, preview: string | null): KnownArgs {
  return knownArgs({
    preview,
    truncated: valueAt(start, 'call', 'preview', 'truncated') !== false,
    redactions: numberAt(start, 'call', 'preview', 'redactions') ?? 0,
    uninspected: textAt(start, 'call', 'args_stream_hash') !== '',
    facts: objectAt(decision, 'facts', 'args'),
  });
}
