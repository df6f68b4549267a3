import { SealKeyFile, type SealKeysFound } from '../seal/key-file.js';
import { keyText } from '../seal/record.js';
import type { EntryChecker } from './entries.js';
import type { Finding } from './report.js';

/**
 * The keys in the keystore, read on both sides of the moment at which the newest file's snapshot is taken: a
 * gateway that is at work may hand over its key just then.
 */
export function readKeys(take: () => void, path: string | undefined): SealKeysFound[] {
  const file = path === undefined ? undefined : new SealKeyFile(path);
  const before = file?.found();
  take();
  const after = file?.found();
  return [before, after].flatMap((found) => found ?? []);
}

/** The newest seal names the key that this home holds: of a ledger that was put back it would be another. */
export function checkKeys(keys: readonly SealKeysFound[], checker: EntryChecker): Finding | null {
  if (keys.length === 0) return null;
  const inForce = keyText(checker.seals.key);
  const held = keys.flatMap(({ current, next }) => [current, next]);
  if (held.includes(inForce)) return null;
  const detail = 'the seal key of this home is not the one that its newest seal names';
  return { seq: checker.frontier.size + 1, class: 'seal', detail };
}
