import { canonicalize, SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { BLOBS_AN_ENTRY } from '../schema/ddl.js';
import { blobHash, type BlobState, type StoredBlob } from './blob.js';
import type { AppendGroup, EntryInput, EntryRef } from './input.js';
import { isEntryType, KINDS, numberOfCode } from './kinds.js';
import { pairingRule } from './pairing.js';
import type { Salts } from './salts.js';

/** An entry with everything settled that does not depend on its place in the ledger. */
export interface PreparedEntry {
  readonly kind: number;
  readonly code: number;
  readonly ts: number;
  /** JSON text as `dict.name` and the body hold it. */
  readonly run: string | null;
  readonly tool: string | null;
  readonly ref: EntryRef | null;
  /** Canonical JSON of the data. */
  readonly data: string;
  readonly blobs: readonly StoredBlob[];
}

/** A group ready for the store. */
export interface PreparedGroup {
  readonly entries: readonly PreparedEntry[];
  readonly seen: { readonly run: string | null; readonly id: string; readonly entry: number } | null;
  /** Bytes that it occupies in the queue. */
  readonly bytes: number;
}

/** How to prepare: where salts come from, and whether blobs are dropped because too much is waiting. */
export interface PrepareOptions {
  readonly salts: Pick<Salts, 'next'>;
  readonly dropBlobs: boolean;
}

interface BlobOptions {
  readonly salts: Pick<Salts, 'next'>;
  /** Why blobs are not kept, where they are not. */
  readonly dropped: 'backpressure' | 'budget' | undefined;
}

const SLOT = /^[a-z][a-z0-9_.]{0,63}$/;
const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;
/** A key that sorts before it would stand in front of the ledger's own members. */
const HASH_SIGN = 0x23;
const ENTRY_OVERHEAD = 256;
const ANSWERS: ReadonlySet<number> = new Set([
  KINDS.tool_call_decision,
  KINDS.action_pending,
  KINDS.action_rejected,
]);

/**
 * Checks a group and renders what goes into the bodies. Two members of `data` belong to the ledger and sort
 * before all others, so that verify finds them by position: `#blobs` commits to the blobs, `#seen` claims the
 * request id.
 *
 * @throws SublError `invalid_request` for a group that the format cannot hold, `not_canonical` or `too_deep`
 * for data without a canonical form.
 */
export function prepareGroup(group: AppendGroup, options: PrepareOptions): PreparedGroup {
  if (group.entries.length === 0) throw refuse('a group holds at least one entry');
  const seenAt = group.seen === undefined ? -1 : claimingEntry(group.entries);
  const dropped = options.dropBlobs ? 'backpressure' : group.dropPreviews;
  const entries = group.entries.map((input, index) => {
    const claim = index === seenAt && group.seen !== undefined ? claimOf(group.seen, input.runId) : null;
    return prepareEntry(input, impliedRef(group.entries, index), claim, { salts: options.salts, dropped });
  });
  const seen =
    group.seen === undefined ? null : { run: runText(group.seen.runId), id: group.seen.id, entry: seenAt };
  return { entries, seen, bytes: entries.reduce((sum, entry) => sum + sizeOf(entry), 0) };
}

function prepareEntry(
  input: EntryInput,
  ref: EntryRef | null,
  claim: JsonValue | null,
  options: BlobOptions,
): PreparedEntry {
  if (!isEntryType(input.type)) throw refuse('its type is not one of an entry');
  const kind = KINDS[input.type];
  const code = numberOfCode(kind, input.code ?? null);
  if (code === undefined) throw refuse(`\`${String(input.code)}\` is not a code`);
  if (!Number.isSafeInteger(input.ts) || input.ts < 0)
    throw refuse(`\`${input.ts}\` is not a time in milliseconds`);
  if (pairingRule(kind).required && ref === null)
    throw refuse(`\`${input.type}\` needs the entry it refers to`);
  const { blobs, commitments } = prepareBlobs(input.blobs ?? {}, options);
  return {
    kind,
    code,
    ts: input.ts,
    run: runText(input.runId),
    tool: input.tool === undefined || input.tool === null ? null : canonicalize(toolValue(input.tool)),
    ref,
    data: withOwnMembers(canonicalData(input.data), commitments, claim),
    blobs,
  };
}

/** Canonical one level down, as it will stand in the body: a body is never deeper than JSON is read again. */
function canonicalData(data: JsonObject): string {
  for (const key of Object.keys(data)) {
    if (!(key.charCodeAt(0) > HASH_SIGN)) throw refuse(`\`${key}\` cannot be a member of an entry's data`);
  }
  return canonicalize(data, 1);
}

function prepareBlobs(
  texts: Readonly<Record<string, string>>,
  options: BlobOptions,
): { blobs: StoredBlob[]; commitments: JsonObject | null } {
  const slots = Object.keys(texts);
  if (slots.length === 0) return { blobs: [], commitments: null };
  if (slots.length > BLOBS_AN_ENTRY) throw refuse(`it has ${slots.length} blobs, and ${BLOBS_AN_ENTRY} fit`);
  const blobs: StoredBlob[] = [];
  const commitments: Record<string, JsonValue> = {};
  for (const slot of slots) {
    if (!SLOT.test(slot)) throw refuse(`\`${slot}\` cannot name a blob`);
    const data = Buffer.from(texts[slot] ?? '', 'utf8');
    const salt = options.salts.next();
    const state: BlobState = options.dropped === undefined ? 'present' : `dropped:${options.dropped}`;
    commitments[slot] = { hash: blobHash(salt, data), len: data.length, state };
    if (options.dropped === undefined) blobs.push({ slot, salt, data });
  }
  return { blobs, commitments };
}

/**
 * Puts the ledger's own members in front of an object's text: in their canonical place, so that nothing is
 * sorted.
 */
function withOwnMembers(text: string, blobs: JsonObject | null, claim: JsonValue | null): string {
  if (blobs === null && claim === null) return text;
  const first = blobs === null ? '' : `"#blobs":${canonicalize(blobs, 2)}`;
  const second = claim === null ? '' : `"#seen":${canonicalize(claim, 2)}`;
  const own = first === '' || second === '' ? first + second : `${first},${second}`;
  return text === '{}' ? `{${own}}` : `{${own},${text.slice(1)}`;
}

function claimingEntry(entries: readonly EntryInput[]): number {
  const answer = entries.findIndex((entry) => ANSWERS.has(KINDS[entry.type]));
  return answer === -1 ? entries.length - 1 : answer;
}

/** `id` where the claim is made in the entry's own run, else `[run, id]`. */
function claimOf(seen: { runId: string | null; id: string }, entryRun: string | null): JsonValue {
  if (!REQUEST_ID.test(seen.id)) throw refuse(`\`${seen.id}\` is not a request id`);
  return seen.runId === entryRun ? seen.id : [seen.runId, seen.id];
}

function impliedRef(entries: readonly EntryInput[], index: number): EntryRef | null {
  const input = entries[index];
  if (input === undefined) return null;
  if (input.ref !== undefined) return input.ref;
  const rule = pairingRule(KINDS[input.type]);
  if (!rule.required) return null;
  for (let at = index - 1; at >= 0; at -= 1) {
    const earlier = entries[at];
    if (
      earlier !== undefined &&
      earlier.runId === input.runId &&
      rule.target?.includes(KINDS[earlier.type])
    ) {
      return { entry: at };
    }
  }
  return null;
}

function runText(runId: string | null): string | null {
  return runId === null ? null : canonicalize(runId);
}

function toolValue(tool: string | readonly [string, string]): JsonValue {
  return typeof tool === 'string' ? tool : [tool[0], tool[1]];
}

function sizeOf(entry: PreparedEntry): number {
  const blobs = entry.blobs.reduce((sum, blob) => sum + blob.data.length, 0);
  return ENTRY_OVERHEAD + entry.data.length + (entry.run?.length ?? 0) + (entry.tool?.length ?? 0) + blobs;
}

function refuse(message: string): SublError {
  return new SublError('invalid_request', `the ledger cannot hold this entry: ${message}`);
}
