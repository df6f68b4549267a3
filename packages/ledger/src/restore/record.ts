import { canonicalize, isJsonObject, parseJson, readBase64 } from '@subluminal/core-types';
import { sign, verify, type KeyObject } from 'node:crypto';

/**
 * The content of a `restored` entry: the ledger was put back, by whoever holds the log key, and goes on with
 * a fresh seal key.
 */
export interface Restored {
  /** Entries of the backup, all that lie before this entry. */
  readonly size: number;
  /** Their Merkle root, base64. */
  readonly root: string;
  /** Entries that were known when it was restored: those behind `size` were given up. */
  readonly knownSize: number;
  /** The root over those, base64; empty where nobody knew it. */
  readonly knownRoot: string;
  /** Public key of the next seal, base64. */
  readonly sealKey: string;
  /** The operator's words, one line. */
  readonly reason: string;
}

/** The longest reason, in characters. */
export const MAX_REASON = 500;

/** The text that the log key signs. */
function restoredText(ledgerId: string, restored: Restored): string {
  const { size, root, knownSize, knownRoot, sealKey, reason } = restored;
  return `subl/restored/v1\n${ledgerId}\n${size}\n${root}\n${knownSize}\n${knownRoot}\n${sealKey}\n${reason}\n`;
}

/** Signs and renders the data of the entry: canonical JSON. */
export function signRestored(ledgerId: string, restored: Restored, logKey: KeyObject): string {
  const sig = sign(null, Buffer.from(restoredText(ledgerId, restored)), logKey).toString('base64');
  return render(restored, sig);
}

/**
 * Reads the data; undefined unless it is, byte for byte, what `signRestored` renders, and the log key signed
 * it.
 */
export function openRestored(ledgerId: string, data: string, logKey: KeyObject): Restored | undefined {
  let value;
  try {
    value = parseJson(data, { maxDepth: 2 });
  } catch {
    // What is no JSON is no such entry, and that is what the caller reports.
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { size, root, known_size: knownSize, known_root: knownRoot, seal_key: sealKey, reason, sig } = value;
  if (typeof size !== 'number' || typeof knownSize !== 'number' || typeof reason !== 'string')
    return undefined;
  if (typeof root !== 'string' || typeof knownRoot !== 'string' || typeof sealKey !== 'string')
    return undefined;
  if (typeof sig !== 'string' || !isReason(reason) || knownSize < size || size < 1) return undefined;
  const hashes = [root, sealKey, ...(knownRoot === '' ? [] : [knownRoot])];
  const signature = readBase64(sig, 64);
  if (signature === undefined || hashes.some((text) => readBase64(text, 32) === undefined)) return undefined;
  const restored = { size, root, knownSize, knownRoot, sealKey, reason };
  if (render(restored, sig) !== data) return undefined;
  const text = Buffer.from(restoredText(ledgerId, restored));
  return verify(null, text, logKey, signature) ? restored : undefined;
}

/** Whether a text can stand as a reason: one line, nothing that acts on a terminal. */
export function isReason(text: string): boolean {
  return text.length <= MAX_REASON && !/\p{C}/u.test(text);
}

function render({ size, root, knownSize, knownRoot, sealKey, reason }: Restored, sig: string): string {
  return canonicalize({
    size,
    root,
    known_size: knownSize,
    known_root: knownRoot,
    seal_key: sealKey,
    reason,
    sig,
  });
}
