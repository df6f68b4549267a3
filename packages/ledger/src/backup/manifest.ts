import {
  canonicalize,
  isJsonObject,
  parseJson,
  SublError,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The file that says what a backup consists of. */
export const MANIFEST = 'manifest.json';

/** What a backup says of itself. Nothing in it is signed: the ledger in it proves itself. */
export interface Manifest {
  readonly createdMs: number;
  readonly version: string;
  readonly ledgerId: string;
  /** Genesis fingerprint. */
  readonly genesis: string;
  readonly entries: number;
  /** Entries whose closed files were not there when it was made, newest first. */
  readonly missing: readonly { readonly first: number; readonly last: number }[];
  /** By name below the backup's folder. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

const MAX_BYTES = 4 * 1024 * 1024;
const CHUNK = 1024 * 1024;
const NAME = /^(?:ledger\.db|genesis|checkpoint|segments\/[A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

/** Tells whether a file can be part of a backup. */
function isBackupName(name: string): boolean {
  return NAME.test(name);
}

/** The text of a manifest. */
export function renderManifest(manifest: Manifest): string {
  const { createdMs, version, ledgerId, genesis, entries, files, missing } = manifest;
  const listed: JsonObject = Object.fromEntries(
    Object.entries(files).map(([name, { bytes, sha256 }]) => [name, { bytes, sha256 }]),
  );
  return `${canonicalize({
    v: 1,
    created: new Date(createdMs).toISOString(),
    version,
    ledger_id: ledgerId,
    genesis,
    entries,
    files: listed,
    ...(missing.length === 0 ? {} : { missing: missing.map(({ first, last }) => [first, last]) }),
  })}\n`;
}

/**
 * Reads the manifest of a backup and holds every file against it.
 *
 * @throws SublError `ledger_missing` where the folder is no backup, `ledger_corrupt` where a file is not as
 *   it was written.
 */
export function checkManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  if (!existsSync(path) || !statSync(path).isFile() || statSync(path).size > MAX_BYTES)
    throw noBackup(folder);
  const manifest = readManifest(readFileSync(path, 'utf8'));
  if (manifest === undefined) throw noBackup(folder);
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const file = join(folder, name);
    const isThere = existsSync(file) && statSync(file).isFile() && statSync(file).size === bytes;
    if (isThere && hashFile(file) === sha256) continue;
    throw new SublError('ledger_corrupt', `\`${file}\` is not as the backup was made`, {
      help: 'use another backup; this one was damaged or changed',
    });
  }
  return manifest;
}

/** SHA-256 of a file, lowercase hex, in bounded memory. */
export function hashFile(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK);
  const handle = openSync(path, 'r');
  try {
    for (let read = -1; read !== 0;) {
      read = readSync(handle, chunk, 0, CHUNK, null);
      hash.update(chunk.subarray(0, read));
    }
  } finally {
    closeSync(handle);
  }
  return hash.digest('hex');
}

function readManifest(text: string): Manifest | undefined {
  let value;
  try {
    value = parseJson(text, { maxDepth: 4 });
  } catch {
    // What cannot be read is no manifest, and that is what is said.
    return undefined;
  }
  if (!isJsonObject(value) || value['v'] !== 1) return undefined;
  const { created, version, ledger_id: ledgerId, genesis, entries, files = null } = value;
  if (typeof created !== 'string' || typeof version !== 'string' || typeof ledgerId !== 'string')
    return undefined;
  if (typeof genesis !== 'string' || typeof entries !== 'number' || !isJsonObject(files)) return undefined;
  const listed: Record<string, { bytes: number; sha256: string }> = {};
  for (const [name, file] of Object.entries(files)) {
    if (!isBackupName(name) || !isJsonObject(file)) return undefined;
    const { bytes, sha256 } = file;
    if (typeof bytes !== 'number' || typeof sha256 !== 'string') return undefined;
    listed[name] = { bytes, sha256 };
  }
  if (listed['ledger.db'] === undefined) return undefined;
  const missing = readMissing(value['missing']);
  if (missing === undefined) return undefined;
  return { createdMs: Date.parse(created), version, ledgerId, genesis, entries, files: listed, missing };
}

function readMissing(value: JsonValue | undefined): Manifest['missing'] | undefined {
  const pairs: readonly JsonValue[] | undefined =
    value === undefined ? [] : Array.isArray(value) ? value : undefined;
  const read = pairs?.flatMap((pair) => {
    if (!Array.isArray(pair)) return [];
    const [first, last]: readonly JsonValue[] = pair;
    return typeof first === 'number' && typeof last === 'number' ? [{ first, last }] : [];
  });
  return read?.length === pairs?.length ? read : undefined;
}

function noBackup(folder: string): SublError {
  return new SublError('ledger_missing', `\`${folder}\` is not a backup`, {
    help: 'name a folder that `sub audit backup` wrote',
  });
}
