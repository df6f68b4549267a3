import { nameOfMissing, type LedgerReader, type MissingSegments } from '@subluminal/ledger';
import type { Output } from '../output/output.js';

/** Says where a listing ended although the ledger goes back further: its older files are not there. */
export function noteMissing(output: Output, reader: LedgerReader): void {
  const [newest] = reader.closedFiles.missing;
  if (newest === undefined) return;
  const what = nameOfMissing(newest);
  output.note(
    `this goes back to entry ${newest.last + 1}: put ${what} back into \`segments/\` for what is older`,
  );
}

/** What is missing up to the newest closed file, which the gateway does not start without; undefined where that is there. */
export function keepsFromStart({ there, missing }: LedgerReader['closedFiles']): MissingSegments | undefined {
  const [newest] = missing;
  return newest !== undefined && newest.last > (there[0]?.last ?? 0) ? newest : undefined;
}
