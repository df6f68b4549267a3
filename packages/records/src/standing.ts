import { statSync } from 'node:fs';
import { numberAt, textAt, type JsonObject } from '@subluminal/core-types';
import {
  holdsUpExpiry,
  inspectLedger,
  nameOfMissing,
  type LedgerReader,
  type LedgerRow,
  type MissingSegments,
} from '@subluminal/ledger';

/** The contents of a ledger and their protection, as far as its file tells. Proves nothing. */
export interface Standing {
  readonly ledgerId: string;
  readonly genesis: string;
  readonly entries: number;
  readonly bytes: { readonly ledger: number; readonly log: number; readonly segments: number };
  readonly segments: {
    readonly count: number;
    /** The entries in the closed files that are there; null where there is none. */
    readonly hold: { readonly first: number; readonly last: number } | null;
    readonly missing: readonly MissingSegments[];
    /** The missing files without which the gateway does not start. */
    readonly needed: MissingSegments | undefined;
  };
  readonly open: ReturnType<LedgerReader['openActions']>;
  readonly headSize: number | null;
  readonly mistake: string | null;
  /** The newest one that stands in a file that is there. */
  readonly seal: { readonly n: number | null; readonly size: number | null; readonly ts: number } | null;
  readonly anchor: { readonly size: number | null; readonly kind: string; readonly ts: number } | null;
  readonly previews: {
    readonly kept: number;
    readonly expiredUpTo: number;
    readonly heldUpBy: MissingSegments | undefined;
  };
}

/** Reads the standing of the ledger in the file `path`, which `reader` has open. */
export function standingOf(reader: LedgerReader, path: string): Standing {
  const glance = inspectLedger(path);
  const [seal] = reader.byType('seal', { limit: 1 }).rows;
  const [anchor] = reader.byType('anchored', { limit: 1 }).rows;
  const files = reader.closedFiles;
  const [newest, oldest] = [files.there[0], files.there.at(-1)];
  const expiredUpTo = reader.expiredUpTo();
  return {
    ledgerId: reader.genesis.ledgerId,
    genesis: reader.genesis.fingerprint,
    entries: glance.entries,
    bytes: {
      ledger: sizeOf(path),
      log: sizeOf(`${path}-wal`),
      segments: files.there.reduce((sum, file) => sum + sizeOf(file.path), 0),
    },
    segments: {
      count: files.there.length,
      hold: newest === undefined || oldest === undefined ? null : { first: oldest.first, last: newest.last },
      missing: files.missing,
      needed: neededToStart(files),
    },
    open: reader.openActions(),
    headSize: glance.headSize,
    mistake: glance.mistake,
    seal: seal === undefined ? null : { n: countOf(seal, 'n'), size: countOf(seal, 'size'), ts: seal.ts },
    anchor:
      anchor === undefined
        ? null
        : { size: countOf(anchor, 'size'), kind: textAt(anchor.data, 'kind'), ts: anchor.ts },
    previews: {
      kept: reader.keptPreviews(),
      expiredUpTo,
      heldUpBy: holdsUpExpiry(files.missing, expiredUpTo),
    },
  };
}

/** The standing for programs; the names are documented in docs/cli.md. */
export function standingJson({ segments, previews, ...standing }: Standing): JsonObject {
  return {
    ledger_id: standing.ledgerId,
    genesis: standing.genesis,
    entries: standing.entries,
    bytes: standing.bytes,
    segments: segments.count,
    segments_hold: segments.hold,
    segments_missing: segments.missing.map((one) => ({ ...one, name: nameOfMissing(one) })),
    open: standing.open,
    head_size: standing.headSize,
    mistake: standing.mistake,
    seal: standing.seal,
    anchor: standing.anchor,
    previews: {
      kept: previews.kept,
      expired_up_to: previews.expiredUpTo,
      held_up_by: previews.heldUpBy === undefined ? null : nameOfMissing(previews.heldUpBy),
    },
  };
}

/**
 * The missing files up to the newest closed one, which the gateway does not start without. Undefined where
 * that is there.
 */
export function neededToStart({ there, missing }: LedgerReader['closedFiles']): MissingSegments | undefined {
  const [newest] = missing;
  return newest !== undefined && newest.last > (there[0]?.last ?? 0) ? newest : undefined;
}

function countOf({ data }: LedgerRow, name: string): number | null {
  return numberAt(data, name) ?? null;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
