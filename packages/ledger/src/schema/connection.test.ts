import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fillRun, Scratch } from '../../testing/scratch.js';
import { inspectLedger, openLedgerReader } from '../index.js';

/** Where a program finds what this package requires. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

let scratch: Scratch;
beforeEach(async () => {
  scratch = await new Scratch().fill((ledger) => fillRun(ledger, 'run-a', 1));
});
afterEach(() => scratch.remove());

/**
 * Tells what becomes of another process that wants the file for itself, as a writer does before the ledger
 * goes on in another.
 */
function takeAlone(): string {
  const program = `
    import { openDatabase } from '@subluminal/ledger';
    const db = openDatabase(${JSON.stringify(scratch.path)}, { timeout: 0 });
    db.pragma('locking_mode=EXCLUSIVE');
    try { console.log(db.pragma('journal_mode=DELETE', { simple: true })); } catch (error) { console.log(error.code); }
    db.close();`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: PACKAGE,
    encoding: 'utf8',
  }).stdout.trim();
}

it('a reader holds its file, whatever else looks at it in its process', () => {
  const reader = openLedgerReader(scratch.path);
  expect(takeAlone()).toBe('SQLITE_BUSY');
  inspectLedger(scratch.path);
  expect(takeAlone()).toBe('SQLITE_BUSY');
  reader.close();
  expect(takeAlone()).toBe('delete');
});
