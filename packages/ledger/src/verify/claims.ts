import type { BlobCommitment } from '../entry/blob.js';

/** What an entry's data commits to besides itself. */
export interface OwnMembers {
  /** The claimed request id; `run` undefined where it is the entry's own run. */
  readonly seen: { readonly id: string; readonly run: string | null | undefined } | null;
  readonly blobs: Readonly<Record<string, BlobCommitment>> | null;
}

const NOTHING: OwnMembers = { seen: null, blobs: null };

/**
 * Reads `#blobs` and `#seen`. They are the first members of the data by the order of keys, so a body whose
 * data does not begin with `#` has neither, and text inside other members cannot imitate them. Undefined
 * where the body is not what a writer makes of them.
 */
export function ownMembers(body: string, dataAt: number): OwnMembers | undefined {
  if (body.charCodeAt(dataAt + 2) !== 0x23) return NOTHING;
  const quick = quickSeen(body, dataAt);
  if (quick !== null) return { seen: { id: quick, run: undefined }, blobs: null };
  const data = readData(body);
  if (data === undefined) return undefined;
  const { '#blobs': blobs, '#seen': claim } = data;
  const seen = claim === undefined ? null : readSeen(claim);
  if (seen === undefined) return undefined;
  if (blobs === undefined) return { seen, blobs: null };
  return areCommitments(blobs) ? { seen, blobs } : undefined;
}

function readData(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { data } = JSON.parse(body);
    return typeof data === 'object' && data !== null ? data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function areCommitments(blobs: unknown): blobs is Readonly<Record<string, BlobCommitment>> {
  return (
    typeof blobs === 'object' &&
    blobs !== null &&
    Object.values(blobs).every((commitment: unknown) => typeof commitment === 'object' && commitment !== null)
  );
}

/** The usual case without parsing: `{"#seen":"<id>"`; ids hold no character that JSON escapes. */
function quickSeen(body: string, dataAt: number): string | null {
  const start = dataAt + 10;
  if (body.slice(dataAt + 1, start) !== '"#seen":"') return null;
  return body.slice(start, body.indexOf('"', start));
}

function readSeen(seen: unknown): OwnMembers['seen'] | undefined {
  if (typeof seen === 'string') return { id: seen, run: undefined };
  if (!Array.isArray(seen)) return undefined;
  const [run, id]: unknown[] = seen;
  return typeof id === 'string' && (run === null || typeof run === 'string') ? { id, run } : undefined;
}
