import type { JsonObject } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';

/** Where a checkpoint of the ledger stands outside, and what shows it. */
export interface Anchor {
  readonly kind: 'file' | 'git' | 'cmd' | 'witness';
  readonly target: string;
  readonly size: number;
  /** Lowercase hex. */
  readonly root: string;
  readonly evidence: Readonly<Record<string, string>>;
}

/** The entry that remembers an anchor. */
export function anchoredEntry({ kind, target, size, root, evidence }: Anchor, ts: number): EntryInput {
  const data: JsonObject = { kind, target, size, root, evidence: { ...evidence } };
  return { type: 'anchored', ts, runId: null, data };
}
