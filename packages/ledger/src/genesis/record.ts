import { canonicalize, sha256Hex } from '@subluminal/core-types';
import type { KeyObject } from 'node:crypto';
import { publicKeyFromRaw, rawPublicKey } from '../head/note.js';

/** What a ledger says of itself once and for ever. */
export interface Genesis {
  readonly ledgerId: string;
  readonly createdMs: number;
  /** SHA-256 of the texts of all tables, indexes and triggers. */
  readonly schemaHash: string;
  /** Version of Subluminal that created it. */
  readonly version: string;
  readonly publicKey: KeyObject;
  /** SHA-256 of the record: `prev` of the first entry, and what an outside memory pins. */
  readonly fingerprint: string;
}

const LEDGER_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Tells whether a text can be a ledger's id: it stands in preimages and key names. */
export function isLedgerId(text: string): boolean {
  return LEDGER_ID.test(text);
}

/** The canonical text of a genesis record. */
export function genesisRecord(genesis: Omit<Genesis, 'fingerprint'>): string {
  return canonicalize({
    v: 1,
    type: 'genesis',
    ledger_id: genesis.ledgerId,
    created: genesis.createdMs,
    schema: genesis.schemaHash,
    version: genesis.version,
    public_key: rawPublicKey(genesis.publicKey).toString('base64'),
  });
}

/** Reads a stored record; undefined unless it is, byte for byte, what `genesisRecord` writes. */
export function readGenesis(record: string): Genesis | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(record);
  } catch {
    // Only its syntax can be wrong here; the caller reports the record as contradicting itself.
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(parsed, name)?.value;
  const [ledgerId, createdMs, schemaHash] = [field('ledger_id'), field('created'), field('schema')];
  const [version, key] = [field('version'), field('public_key')];
  if (typeof ledgerId !== 'string' || !isLedgerId(ledgerId) || typeof createdMs !== 'number')
    return undefined;
  if (typeof schemaHash !== 'string' || typeof version !== 'string' || typeof key !== 'string')
    return undefined;
  const raw = Buffer.from(key, 'base64');
  if (raw.length !== 32) return undefined;
  const genesis = { ledgerId, createdMs, schemaHash, version, publicKey: publicKeyFromRaw(raw) };
  return genesisRecord(genesis) === record ? { ...genesis, fingerprint: sha256Hex(record) } : undefined;
}
