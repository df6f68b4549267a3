import {
  isJsonObject,
  listAt,
  objectAt,
  parseJson,
  SublError,
  textAt,
  textsAt,
  type JsonObject,
} from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { objectText, shown } from '@subluminal/readings/facts';

const SLOT = 'call.preview.args_preview';

/** Gives the texts of previews. */
export type PreviewSource = Pick<LedgerReader, 'blob'>;

/** In the place of an object whose preview has expired. */
export const EXPIRED = '(expired)';

/**
 * The object of a call: its command, query, files or URL, out of the preview of its arguments, redacted as
 * that is. A preview that was cut gives what the decision has kept of it; null where nothing is known.
 */
export function objectOf(
  previews: PreviewSource,
  first: LedgerRow,
  decision: LedgerRow | null,
): string | null {
  const { tool } = first;
  if (tool === null || typeof tool === 'string') return null;
  const kept = previewOf(previews, first);
  return objectIn(tool, kept, decision?.data ?? {}) ?? (hasExpired(first, kept) ? EXPIRED : null);
}

/**
 * The same out of the parts: the preview of the arguments, null where there is none, and the data of the
 * decision.
 */
export function objectIn(
  [server, tool]: readonly [string, string],
  preview: string | null,
  decision: JsonObject,
): string | null {
  const args = preview === null ? undefined : argsIn(preview);
  return (args === undefined ? null : objectText(server, tool, args)) ?? readObject(decision);
}

/** The arguments of a call as its preview has them, redacted; undefined where it was cut, or is not there. */
export function shownArgs(previews: PreviewSource, first: LedgerRow): JsonObject | undefined {
  const kept = previewOf(previews, first);
  return kept === null ? undefined : argsIn(kept);
}

/**
 * Reads the arguments of the calls that begin in the entries `from` to `to` at once, and others one by one.
 */
export function previewsBetween(reader: LedgerReader, from: number, to: number): PreviewSource {
  const read = reader.blobsBetween(from, to, SLOT);
  return {
    blob: (seq, slot) => (slot === SLOT ? read.get(seq) : undefined) ?? reader.blob(seq, slot),
  };
}

function previewOf(previews: PreviewSource, first: LedgerRow): string | null {
  return Object.hasOwn(first.blobs, SLOT) ? previews.blob(first.seq, SLOT) : null;
}

/** The arguments of a call that a preview has; undefined where it was cut. */
export function argsIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    // A preview that was cut is no JSON any more.
    if (error instanceof SublError) return undefined;
    throw error;
  }
}

/** The first object that rules have looked at. */
function readObject(decision: JsonObject): string | null {
  const readings = objectAt(decision, 'facts', 'readings');
  const [command] = listAt(readings, 'commands');
  if (command !== undefined) return shown(textAt(command, 'argv')) || null;
  const [path] = listAt(readings, 'paths');
  const [form] = path === undefined ? [] : textsAt(path, 'forms');
  return form === undefined ? null : shown(form);
}

function hasExpired({ blobs }: LedgerRow, kept: string | null): boolean {
  return kept === null && blobs[SLOT]?.state === 'present';
}
