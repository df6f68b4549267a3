import { canonicalize, publicKeyFromRaw, rawPublicKey, sha256Hex } from '@subluminal/core-types';
import type { KeyObject } from 'node:crypto';

/** Everything that a ledger says of itself, once and for ever. */
export interface Genesis {
  readonly ledgerId: string;
  readonly createdMs: number;
  /** SHA-256 of the texts of all tables, indexes and triggers. */
  readonly schemaHash: string;
  /** Version of Subluminal that created it. */
  readonly version: string;
  /** The log key: it signs every checkpoint. */
  readonly publicKey: KeyObject;
  /** The key of seal 1. */
  readonly sealKey: KeyObject;
  /** SHA-256 of the record: `prev` of the first entry, and what an outside memory pins. */
  readonly fingerprint: string;
}

/** The version of the record. */
const VERSION = 2;
const LEDGER_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Tells whether a text can be a ledger's id: it stands in preimages and key names. */
export function isLedgerId(text: string): boolean {
  return LEDGER_ID.test(text);
}

/** The canonical text of a genesis record. */
export function genesisRecord(genesis: Omit<Genesis, 'fingerprint'>): string {
  return canonicalize({
    v: VERSION,
    type: 'genesis',
    ledger_id: genesis.ledgerId,
    created: genesis.createdMs,
    schema: genesis.schemaHash,
    version: genesis.version,
    public_key: rawPublicKey(genesis.publicKey).toString('base64'),
    seal_key: rawPublicKey(genesis.sealKey).toString('base64'),
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
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(Object(parsed), name)?.value;
  const [ledgerId, createdMs, schemaHash] = [field('ledger_id'), field('created'), field('schema')];
  const version = field('version');
  if (typeof ledgerId !== 'string' || !isLedgerId(ledgerId) || typeof createdMs !== 'number')
    return undefined;
  if (typeof schemaHash !== 'string' || typeof version !== 'string') return undefined;
  const publicKey = readKey(field('public_key'));
  const sealKey = readKey(field('seal_key'));
  if (publicKey === undefined || sealKey === undefined) return undefined;
  const genesis = { ledgerId, createdMs, schemaHash, version, publicKey, sealKey };
  return genesisRecord(genesis) === record ? { ...genesis, fingerprint: sha256Hex(record) } : undefined;
}

function readKey(text: unknown): KeyObject | undefined {
  const raw = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  return raw.length === 32 ? publicKeyFromRaw(raw) : undefined;
}
