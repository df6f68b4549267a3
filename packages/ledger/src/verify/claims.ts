import type { BlobCommitment } from '../entry/blob.js';
import { Bytes } from './bytes.js';
import type { Row } from './row.js';

/** What an entry's data commits to besides itself. */
export interface OwnMembers {
  /** The claimed request id; `run` undefined where it is the entry's own run. */
  readonly seen: { readonly id: string; readonly run: string | null | undefined } | null;
  readonly blobs: Readonly<Record<string, BlobCommitment>> | null;
}

const [QUOTE, HASH] = [0x22, 0x23];
const SEEN = Bytes.of('"#seen":"');

const NOTHING: OwnMembers = { seen: null, blobs: null };

/**
 * Reads `#blobs` and `#seen`. They are the first members of the data by the order of keys, so a body whose
 * data does not begin with `#` has neither, and text inside other members cannot imitate them. Undefined
 * where the body is not what a writer makes of them.
 */
export function ownMembers(
  { bytes, bodyAt, bodyEnd }: Pick<Row, 'bytes' | 'bodyAt' | 'bodyEnd'>,
  dataAt: number,
): OwnMembers | undefined {
  if (bytes.octets[dataAt + 2] !== HASH) return NOTHING;
  const quick = quickSeen(bytes, dataAt);
  if (quick !== null) return { seen: { id: quick, run: undefined }, blobs: null };
  const data = readData(bytes.octets.toString('utf8', bodyAt, bodyEnd));
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
function quickSeen(bytes: Bytes, dataAt: number): string | null {
  if (!bytes.holds(dataAt + 1, SEEN)) return null;
  const { octets } = bytes;
  const start = dataAt + 1 + SEEN.length;
  let end = start;
  while (end < octets.length && octets[end] !== QUOTE) end += 1;
  return octets.toString('utf8', start, end);
}

function readSeen(seen: unknown): OwnMembers['seen'] | undefined {
  if (typeof seen === 'string') return { id: seen, run: undefined };
  if (!Array.isArray(seen)) return undefined;
  const [run, id]: unknown[] = seen;
  return typeof id === 'string' && (run === null || typeof run === 'string') ? { id, run } : undefined;
}
