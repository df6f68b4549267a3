import { sha256Hex, SublError } from '@subluminal/core-types';
import type { FileRecord, Journal } from './journal.js';

/**
 * The file without anything of ours, as it was copied. Where the copy is lost, `again` makes it from the
 * entries that are recorded: what has the hash of the copy is the copy. Throws `failed` where neither is.
 */
export function baseOf(journal: Journal, record: FileRecord, again: () => string): Buffer {
  try {
    return journal.copy(record);
  } catch (error) {
    if (!(error instanceof SublError)) throw error;
    const made = Buffer.from(again(), 'utf8');
    if (sha256Hex(made) === record.base) return made;
    throw error;
  }
}
