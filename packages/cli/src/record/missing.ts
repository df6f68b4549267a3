import { SublError } from '@subluminal/core-types';
import { nameOfMissing, type LedgerReader } from '@subluminal/ledger';
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

/**
 * Refuses to list what is older than `cursor` where all of that lies behind files that are not there: an
 * empty list would say that there is nothing. Throws `not_found`.
 */
export function assertListable(reader: LedgerReader, cursor: number | null): void {
  const [newest] = reader.closedFiles.missing;
  if (cursor === null || newest === undefined || cursor > newest.last + 1) return;
  const what = nameOfMissing(newest);
  throw new SublError(
    'not_found',
    `below entry \`${cursor}\` nothing can be listed: ${what} ${newest.from === newest.to ? 'is' : 'are'} not in \`segments/\``,
    {
      help: `put ${what} back into \`segments/\`, or leave out \`--cursor\` for what is newer; \`sub show\` finds single entries of older files`,
    },
  );
}
