import { canonicalize, isJsonObject, parseJson, SublError, type JsonObject } from '@subluminal/core-types';
import { BUNDLE_FILES, BUNDLE_FORMAT, REQUIRED_FILES } from './form.js';

/** Size and hash of a file. */
export interface FileMark {
  readonly bytes: number;
  /** Lowercase hex. */
  readonly sha256: string;
}

/** What a bundle says of itself. It is not signed: everything in it is checked against what is. */
export interface BundleManifest {
  /** When it was made, RFC 3339. */
  readonly created: string;
  /** Version of Subluminal that made it. */
  readonly version: string;
  readonly ledgerId: string;
  /** Genesis fingerprint. */
  readonly genesis: string;
  readonly runId: string;
  /** Whether the run had ended. */
  readonly ended: boolean;
  readonly entries: number;
  readonly events: number;
  readonly previews: number;
  /** By name. */
  readonly files: Readonly<Record<string, FileMark>>;
}

/** The text of a manifest. */
export function renderBundleManifest(manifest: BundleManifest): string {
  const { created, version, ledgerId, genesis, runId, ended, entries, events, previews } = manifest;
  const files: JsonObject = Object.fromEntries(
    Object.entries(manifest.files).map(([name, { bytes, sha256 }]) => [name, { bytes, sha256 }]),
  );
  const ledger = { ledger_id: ledgerId, genesis, run_id: runId, ended };
  const counts = { entries, events, previews };
  return `${canonicalize({ format: BUNDLE_FORMAT, created, version, ...ledger, ...counts, files })}\n`;
}

/**
 * Reads a manifest. Returns a few words on what is wrong with it where it is none as `renderBundleManifest`
 * writes it.
 */
export function readBundleManifest(text: string): BundleManifest | string {
  let value: JsonObject;
  try {
    const parsed = parseJson(text);
    if (!isJsonObject(parsed)) return 'it is not a JSON object';
    value = parsed;
  } catch (error) {
    if (error instanceof SublError) return error.message;
    throw error;
  }
  if (value['format'] !== BUNDLE_FORMAT) return `its format is not \`${BUNDLE_FORMAT}\``;
  const texts = ['created', 'version', 'ledger_id', 'genesis', 'run_id'].map((key) => value[key]);
  const [created, version, ledgerId, genesis, runId] = texts;
  const [entries, events, previews] = ['entries', 'events', 'previews'].map((key) => value[key]);
  const { ended } = value;
  if (typeof created !== 'string' || typeof version !== 'string' || typeof ledgerId !== 'string')
    return 'it does not say what made it';
  if (typeof genesis !== 'string' || typeof runId !== 'string' || typeof ended !== 'boolean')
    return 'it does not say whose run it is';
  if (!isCount(entries) || !isCount(events) || !isCount(previews)) return 'it does not say how much it holds';
  const files = readFiles(value['files']);
  if (typeof files === 'string') return files;
  const manifest = { created, version, ledgerId, genesis, runId, ended, entries, events, previews, files };
  return renderBundleManifest(manifest) === text ? manifest : 'it is not written as a manifest is';
}

function readFiles(value: JsonObject[string] | undefined): Readonly<Record<string, FileMark>> | string {
  if (value === undefined || !isJsonObject(value)) return 'it lists no files';
  const known: readonly string[] = Object.values(BUNDLE_FILES);
  const files: Record<string, FileMark> = {};
  for (const [name, mark] of Object.entries(value)) {
    if (!known.includes(name)) return `it lists \`${name}\`, which no bundle holds`;
    const { bytes, sha256 } = isJsonObject(mark) ? mark : {};
    if (!isCount(bytes) || typeof sha256 !== 'string') return `it does not say what \`${name}\` is`;
    files[name] = { bytes, sha256 };
  }
  const missing = REQUIRED_FILES.find((name) => !Object.hasOwn(files, name));
  return missing === undefined ? files : `it does not list \`${missing}\``;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
