import { SublError, type VerifierKey } from '@subluminal/core-types';
import { readAnchors } from '../outside-files.js';
import type { Fresh } from './place.js';

/**
 * A place that already knows more entries, or another root at this size, is not given a further checkpoint:
 * it is the contradiction that anchors exist for. Throws `ledger_corrupt`.
 */
export function assertContinues(text: string, log: VerifierKey, fresh: Fresh, source: string): void {
  const { roots, broken } = readAnchors(text, log, source);
  if (broken !== null) throw contradiction(broken);
  for (const { size, root } of roots) {
    if (size > fresh.size)
      throw contradiction(`${source} knows ${size} entries, and the ledger has ${fresh.size}`);
    if (size === fresh.size && root !== fresh.root) throw contradiction(`${source} names another root`);
  }
}

function contradiction(why: string): SublError {
  return new SublError('ledger_corrupt', `an anchor contradicts the ledger: ${why}`, {
    help: 'keep the ledger and the anchor as they are, and run `sub audit verify`',
  });
}
