import { createHmac } from 'node:crypto';
import { isSublError } from '../errors/subl-error.js';
import { sha256Hex } from '../hash/node.js';
import { canonicalize } from '../json/canonicalize.js';
import { parseJson } from '../json/parse.js';
import { isJsonObject, type JsonObject } from '../json/value.js';
import { deriveKey } from '../sign/keys.js';
import { macEquals } from '../sign/macs.js';
import { MAX_SPOOL_CALLS } from './spool-limits.js';

/** The first, and the beginning and the end of each call. */
const MAX_LINES = 1 + 2 * MAX_SPOOL_CALLS;
/** Of each line. */
const BEGINS = '{"body":';

/** `prev` of the first line. */
export const NO_LINE = '0'.repeat(64);

/** A line of a spool, as far as it was read. */
export interface SpoolLine {
  readonly n: number;
  readonly body: JsonObject;
  /** SHA-256 of the whole line: what the next one names as `prev`. */
  readonly hash: string;
}

/** Why a line, and with it the spool, is not believed. */
export type SpoolFault = 'form' | 'chain' | 'mac';

/** A spool as it was found; on a fault `lines` are those in front of it. */
export interface SpoolReading {
  readonly lines: readonly SpoolLine[];
  readonly fault: { readonly kind: SpoolFault; readonly n: number } | undefined;
  /** The writer was cut off inside of its last line, so that nothing followed from it. */
  readonly torn: boolean;
}

/**
 * The key of one spool: of the run's key, and of a secret that only the session heard which got the snapshot.
 * A process that reads the run's ticket has the first and not the second.
 */
export function deriveSpoolKey(
  runKey: Uint8Array,
  ledgerId: string,
  snapshotId: string,
  secret: string,
): Uint8Array {
  return deriveKey(runKey, ledgerId, 'spool', `${snapshotId}.${secret}`, 1);
}

/**
 * One line without its line feed: the body, its place, the hash of the line before, and a MAC over the three.
 */
export function writeSpoolLine(
  key: Uint8Array,
  n: number,
  prev: string,
  body: JsonObject,
): { text: string; hash: string } {
  const text = lineText(key, n, prev, canonicalize(body));
  return { text, hash: sha256Hex(text) };
}

/** The body of the first line, which nothing vouches for yet; undefined where there is none. */
export function spoolHeader(text: string): JsonObject | undefined {
  const end = text.indexOf('\n');
  return end < 0 ? undefined : parsed(text.slice(0, end))?.body;
}

/** Reads a spool and verifies every line of it. */
export function readSpool(key: Uint8Array, text: string): SpoolReading {
  const pieces = text.split('\n');
  const torn = pieces.pop() !== '';
  const lines: SpoolLine[] = [];
  let prev = NO_LINE;
  for (const [n, piece] of pieces.entries()) {
    const line = parsed(piece);
    if (line === undefined) return { lines, fault: { kind: 'form', n }, torn };
    if (line.n !== n || line.prev !== prev) return { lines, fault: { kind: 'chain', n }, torn };
    const expected = lineText(key, n, prev, canonicalize(line.body));
    if (!macEquals(line.mac, macOf(expected)) || expected !== piece) {
      return { lines, fault: { kind: 'mac', n }, torn };
    }
    prev = sha256Hex(piece);
    lines.push({ n, body: line.body, hash: prev });
  }
  return { lines, fault: undefined, torn };
}

/**
 * The bodies of lines that can be read, whether or not anything vouches for them: of the first that look like
 * lines, as many as a spool may have.
 */
export function unverifiedBodies(text: string): readonly JsonObject[] {
  const bodies: JsonObject[] = [];
  let looked = 0;
  for (let at = 0; at <= text.length && looked < MAX_LINES;) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    if (text.startsWith(BEGINS, at)) {
      looked += 1;
      const line = parsed(text.slice(at, end));
      if (line !== undefined) bodies.push(line.body);
    }
    at = end + 1;
  }
  return bodies;
}

interface Parsed {
  readonly n: number;
  readonly prev: string;
  readonly mac: string;
  readonly body: JsonObject;
}

function parsed(piece: string): Parsed | undefined {
  try {
    const value = parseJson(piece);
    if (!isJsonObject(value)) return undefined;
    const { n, prev, mac, body } = value;
    if (typeof n !== 'number' || typeof prev !== 'string' || typeof mac !== 'string') return undefined;
    return isJsonObject(body) ? { n, prev, mac, body } : undefined;
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

function lineText(key: Uint8Array, n: number, prev: string, body: string): string {
  const mac = createHmac('sha256', key)
    .update(`subl/v1/spool|${n}|${prev}|${sha256Hex(body)}`)
    .digest('base64url');
  return `{"body":${body},"mac":"${mac}","n":${n},"prev":"${prev}"}`;
}

/** The MAC stands behind the body, which may hold anything: it is found from the end. */
function macOf(line: string): string {
  const at = line.lastIndexOf(',"mac":"') + 8;
  return line.slice(at, at + 43);
}
