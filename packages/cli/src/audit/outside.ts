import { isSublError } from '@subluminal/core-types';
import {
  openLedgerReader,
  verifierKey,
  type AnchoredRoot,
  type OutsideMemory,
  type VerifierKey,
} from '@subluminal/ledger';
import { readAnchors, readOutsideText, readReceipts } from './outside-files.js';

/** What a verification is held against besides heads.log. */
export type Outside = Required<OutsideMemory>;

/** Reads the files that `--receipts` and `--checkpoint` name. Throws `usage` for one that cannot be read. */
export function outsideOf(
  ledger: string,
  receipts: string | undefined,
  checkpoints: readonly string[],
): Outside {
  const anchors: AnchoredRoot[] = [];
  let brokenAnchor: string | null = null;
  const log = logKeyOf(ledger);
  for (const path of checkpoints) {
    const text = readOutsideText(path);
    if (log === undefined) continue;
    const { roots, broken } = readAnchors(text, log, `\`${path}\``);
    anchors.push(...roots);
    // Somebody kept it to hold this ledger against it: that it speaks of another one is an answer.
    brokenAnchor ??=
      broken ?? (roots.length > 0 ? null : `no checkpoint in \`${path}\` is one of this ledger`);
  }
  return { receipts: receipts === undefined ? [] : readReceipts(receipts), anchors, brokenAnchor };
}

/** The key that signs a ledger's checkpoints; undefined where the file does not say, which verification finds by itself. */
export function logKeyOf(ledger: string): VerifierKey | undefined {
  try {
    const reader = openLedgerReader(ledger);
    reader.close();
    return verifierKey(`subluminal/${reader.genesis.ledgerId}`, 'log', reader.genesis.publicKey);
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}
