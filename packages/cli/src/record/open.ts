import { isSublError, SublError } from '@subluminal/core-types';
import { assertHome, type HomePaths } from '@subluminal/ipc';
import { openLedgerReader, type LedgerReader } from '@subluminal/ledger';
import { findRun } from '@subluminal/records';
import { attempt } from '../program/attempt.js';

/**
 * Opens the ledger of a home for reading; needs no gateway. Errors: `home_missing`, `ledger_missing`, each
 * with what to do, `ledger_corrupt`, `ledger_unsafe`.
 */
export function openRecord(home: HomePaths): LedgerReader {
  try {
    return openLedgerReader(home.ledgerDb);
  } catch (error) {
    if (!isSublError(error, 'ledger_missing')) throw error;
    assertHome(home);
    throw new SublError(error.code, error.message, {
      cause: error,
      help: error.help ?? 'run `sub up` once to create it',
    });
  }
}

/** How the ledger of a file began; undefined where it cannot be read, of which other checks tell. */
export function genesisOf(ledger: string): LedgerReader['genesis'] | undefined {
  return attempt(() => {
    const reader = openLedgerReader(ledger);
    reader.close();
    return reader.genesis;
  });
}

/** Opens the ledger as `openRecord` does, and closes it when it was used. */
export async function withRecord<Result>(
  home: HomePaths,
  use: (reader: LedgerReader) => Result | Promise<Result>,
): Promise<Result> {
  const reader = openRecord(home);
  try {
    return await use(reader);
  } finally {
    reader.close();
  }
}

/** `findRun` in a home whose ledger is not open yet. */
export function findRunIn(home: HomePaths, text: string): Promise<string> {
  return withRecord(home, (reader) => findRun(reader, text));
}
