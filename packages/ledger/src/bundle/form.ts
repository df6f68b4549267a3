/** The format that a manifest names. Another form is another name. */
export const BUNDLE_FORMAT = 'subluminal/bundle/v1';

/** The file that lists the others. */
export const BUNDLE_MANIFEST = 'manifest.json';

/** The files of a bundle. No other name is ever opened, whatever a manifest says. */
export const BUNDLE_FILES = {
  /** The genesis record, byte for byte: its SHA-256 is the fingerprint. */
  genesis: 'genesis.json',
  /** The run's entries, oldest first, as they are hashed. */
  entries: 'entries.jsonl',
  /** The same as events of Contract A. */
  events: 'events.jsonl',
  /** The previews that are kept, with the salts of their hashes. */
  previews: 'previews.jsonl',
  /** The normal forms of the policies that decided, by hash. */
  policies: 'policy.json',
  /** The signed head. */
  checkpoint: 'checkpoint',
  /** The last entry stands under that head. */
  proof: 'proof.tlog-proof',
  /** The entry that let previews expire stands under it too. */
  expired: 'expired.tlog-proof',
} as const;

/** Its files but for the one of what expired, which is there where something did. */
export const REQUIRED_FILES: readonly string[] = Object.values(BUNDLE_FILES).filter(
  (name) => name !== BUNDLE_FILES.expired,
);

/** An entry as its leaf is computed from it. */
export interface RawEntry {
  readonly seq: number;
  /** The leaf of the entry before it in the ledger, or the genesis fingerprint. */
  readonly prev: string;
  readonly body: string;
}

/** A preview as a bundle holds it. `salt` is base64. */
export interface BundledPreview {
  readonly seq: number;
  readonly slot: string;
  readonly salt: string;
  readonly text: string;
}

const HASH = /^[0-9a-f]{64}$/;

/** The line of an entry, without its newline. */
export function entryLine({ seq, prev, body }: RawEntry): string {
  return JSON.stringify({ seq, prev, body });
}

/** Reads such a line; undefined unless it is, byte for byte, what `entryLine` writes. */
export function readEntryLine(line: string): RawEntry | undefined {
  const { seq, prev, body } = fieldsOf(line);
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return undefined;
  if (typeof prev !== 'string' || !HASH.test(prev) || typeof body !== 'string') return undefined;
  const entry = { seq, prev, body };
  return entryLine(entry) === line ? entry : undefined;
}

/** The line of a preview, without its newline. */
export function previewLine({ seq, slot, salt, text }: BundledPreview): string {
  return JSON.stringify({ seq, slot, salt, text });
}

/** Reads such a line; undefined unless it is, byte for byte, what `previewLine` writes. */
export function readPreviewLine(line: string): BundledPreview | undefined {
  const { seq, slot, salt, text } = fieldsOf(line);
  if (typeof seq !== 'number' || typeof slot !== 'string') return undefined;
  if (typeof salt !== 'string' || typeof text !== 'string') return undefined;
  const preview = { seq, slot, salt, text };
  return previewLine(preview) === line ? preview : undefined;
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // A line that is no JSON has none of the fields, which is what the caller reports.
    return {};
  }
}
