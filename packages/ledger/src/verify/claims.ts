import type { BlobCommitment } from '../entry/blob.js';

/** What an entry's data commits to besides itself. */
export interface OwnMembers {
  /** The claimed request id; `run` undefined where it is the entry's own run. */
  readonly seen: { readonly id: string; readonly run: string | null | undefined } | null;
  readonly blobs: Readonly<Record<string, BlobCommitment>> | null;
}

const NOTHING: OwnMembers = { seen: null, blobs: null };

/**
 * Reads `#blobs` and `#seen`. They are the first members of the data by the order of keys, so a body whose data does
 * not begin with `#` has neither, and text inside other members cannot imitate them.
 */
export function ownMembers(body: string, dataAt: number): OwnMembers {
  if (body.charCodeAt(dataAt + 2) !== 0x23) return NOTHING;
  const quick = quickSeen(body, dataAt);
  if (quick !== null) return { seen: { id: quick, run: undefined }, blobs: null };
  const { data } = JSON.parse(body);
  const seen: unknown = data['#seen'];
  return { seen: readSeen(seen), blobs: data['#blobs'] ?? null };
}

/** The usual case without parsing: `{"#seen":"<id>"`; ids hold no character that JSON escapes. */
function quickSeen(body: string, dataAt: number): string | null {
  const start = dataAt + 10;
  if (!body.startsWith('"#seen":"', dataAt + 1)) return null;
  return body.slice(start, body.indexOf('"', start));
}

function readSeen(seen: unknown): OwnMembers['seen'] {
  if (typeof seen === 'string') return { id: seen, run: undefined };
  if (!Array.isArray(seen)) return null;
  const [run, id]: unknown[] = seen;
  return typeof id === 'string' && (run === null || typeof run === 'string') ? { id, run } : null;
}
