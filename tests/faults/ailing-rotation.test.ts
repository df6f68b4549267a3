import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, describe } from 'vitest';
import { ERRNO, type FaultOp } from './kit/control.js';
import { buildFaultLibrary } from './kit/library.js';
import { withLedger } from './kit/written-ledger.js';

const library = buildFaultLibrary();
const preload = 'path' in library ? library.path : '';
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
/** One rotation and a seal behind it. */
const WAVES = 40;
/** Shorter than the child tries again. */
const AILING_MS = 600;

/** What fails from its n-th time on, for as long as the disk is ailing. */
const SITES: readonly (readonly [op: FaultOp, path: string, first: number])[] = [
  ['unlink', '*/ledger.db-wal', 1],
  ['unlink', '*/ledger.db-journal', 1],
  ['write', '*/ledger.db-journal', 1],
  ['write', '*/ledger.db', 3],
  ['write', '*/ledger.db.next', 1],
  ['write', '*/ledger.db.next', 9],
  ['write', '*/ledger.db.next-journal', 1],
  ['mkdir', '*/segments', 1],
  ['link', '*.probe', 1],
  ['link', '*.db', 1],
  ['sync', '*/segments', 1],
  ['rename', '*/ledger.db', 1],
];

describe.skipIf('missing' in library)(`a disk that ails while one file follows another${absent}`, () => {
  const cases = SITES.map(([op, path, first]) => ({ op, path, first }));

  it.each(cases)(
    'may refuse every $op of `$path` from number $first on: the writer loses nothing, and goes on when it is well',
    async ({ op, path, first }) => {
      await withLedger(preload, { durability: 'fsync', waves: WAVES, segmentBytes: 1 }, async (ledger) => {
        const argument = op === 'unlink' ? ERRNO.EIO : ERRNO.ENOSPC;
        const written = ledger.write([{ ops: [op], path, action: 'fail', argument, first }]);
        await until(() => ledger.control.seen().some(isSealed));
        await pause(AILING_MS);
        ledger.control.clear();
        expect(await written).toBe('0');
        expect(await ledger.wrong()).toEqual([]);
        // Where the folder fails beforehand the file takes more, and is asked again a little later.
        const isPostponed = /segments$|probe$/.test(path) && op !== 'sync';
        expect(ledger.closed().length).toBeGreaterThanOrEqual(isPostponed ? 0 : 1);
      });
    },
    180_000,
  );
});

/** A file is followed by another behind a seal. */
const isSealed = ({ op, path }: { readonly op: FaultOp; readonly path: string }): boolean =>
  op === 'rename' && path.endsWith('/keys/seal');

/** Waits for what the child does, if it ever does. */
async function until(isSo: () => boolean): Promise<void> {
  for (let left = 400; left > 0 && !isSo(); left -= 1) await pause(20);
}
