import { isSublError, type SublError, type VerifierKey, verifierKey } from '@subluminal/core-types';
import { type AnchoredRoot, type OutsideMemory } from '@subluminal/ledger';
import type { HomePaths } from '@subluminal/ipc';
import { visitAnchors, type RememberedAnchors } from './anchor/remembered.js';
import type { VerifySubject } from './memory.js';
import { readAnchors, readCheckpoints, readReceipts } from './outside-files.js';
import { genesisOf } from '../record/open.js';

/** The evidence of a verification besides heads.log. */
export interface Outside extends Required<OutsideMemory> {
  /** The anchors that the ledger itself remembers. */
  readonly remembered: Omit<RememberedAnchors, 'roots' | 'broken'>;
  /** Why the ledger could not be asked for the anchors that it remembers; null where it was. */
  readonly unasked: SublError | null;
}

const NONE: RememberedAnchors = { roots: [], broken: null, known: 0, checked: 0, newest: null };

/**
 * Reads the files that `--receipts` and `--checkpoint` name, and goes to the anchors that the ledger
 * remembers. Throws `usage` for a file that cannot be read.
 */
export async function outsideOf(
  { ledger, headsLog }: VerifySubject,
  home: HomePaths,
  receipts: string | undefined,
  checkpoints: readonly string[],
): Promise<Outside> {
  const anchors: AnchoredRoot[] = [];
  let brokenAnchor: string | null = null;
  const log = logKeyOf(ledger);
  for (const path of checkpoints) {
    const text = readCheckpoints(path);
    if (log === undefined) continue;
    const { roots, broken } = readAnchors(text, log, `\`${path}\``);
    anchors.push(...roots);
    // Somebody kept it to hold this ledger against it: that it speaks of another one is an answer.
    brokenAnchor ??=
      broken ?? (roots.length > 0 ? null : `no checkpoint in \`${path}\` is one of this ledger`);
  }
  let unasked: SublError | null = null;
  const visited = log === undefined ? NONE : visitAnchors(ledger, headsLog, log, home);
  const { roots, broken, ...remembered } = await Promise.resolve(visited).catch((error: unknown) => {
    if (!isSublError(error, 'ledger_corrupt', 'ledger_unsafe')) throw error;
    unasked = error;
    return NONE;
  });
  return {
    receipts: receipts === undefined ? [] : readReceipts(receipts),
    anchors: [...anchors, ...roots],
    brokenAnchor: brokenAnchor ?? broken,
    remembered,
    unasked,
  };
}

/**
 * The key that signs a ledger's checkpoints; undefined where the file does not say, which verification finds
 * by itself.
 */
export function logKeyOf(ledger: string): VerifierKey | undefined {
  const genesis = genesisOf(ledger);
  return genesis && verifierKey(`subluminal/${genesis.ledgerId}`, 'log', genesis.publicKey);
}
