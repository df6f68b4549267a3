import SqliteDatabase from 'better-sqlite3';
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { homePaths, type HomePaths } from '@subluminal/ipc';
import { createLedger } from '@subluminal/ledger';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveOldKey } from './old-key.js';

const LAYOUT_1 = new URL('../../../ledger/testing/fixtures/layout-1.db', import.meta.url);
/** The log key of that ledger. */
const KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});

function write(path: string, key: KeyObject): string {
  const text = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  writeFileSync(path, text, { mode: 0o600 });
  return text;
}

describe('the log key of a home whose ledger is of layout 1', () => {
  let paths: HomePaths;
  beforeEach(() => {
    paths = homePaths(mkdtempSync(join(tmpdir(), 'subl-home-')));
    mkdirSync(paths.keysDir, { mode: 0o700 });
    copyFileSync(LAYOUT_1, paths.ledgerDb);
  });
  afterEach(() => rmSync(paths.home, { recursive: true }));

  it('moves from keys/seal to keys/log, and stays there', () => {
    const text = write(paths.sealKey, KEY);
    for (let round = 0; round < 2; round += 1) {
      moveOldKey(paths);
      expect(readFileSync(paths.logKey, 'utf8')).toBe(text);
      expect(existsSync(paths.sealKey)).toBe(false);
    }
  });

  it('moves the rest of the way where a crash left both names', () => {
    const text = write(paths.sealKey, KEY);
    linkSync(paths.sealKey, paths.logKey);
    moveOldKey(paths);
    expect(readFileSync(paths.logKey, 'utf8')).toBe(text);
    expect(existsSync(paths.sealKey)).toBe(false);
  });

  it('is never replaced or followed by another key', () => {
    const [seal, log] = [
      generateKeyPairSync('ed25519').privateKey,
      generateKeyPairSync('ed25519').privateKey,
    ];
    write(paths.sealKey, seal);
    moveOldKey(paths);
    expect(existsSync(paths.logKey)).toBe(false);
    write(paths.sealKey, KEY);
    const kept = write(paths.logKey, log);
    moveOldKey(paths);
    expect(readFileSync(paths.logKey, 'utf8')).toBe(kept);
    expect(existsSync(paths.sealKey)).toBe(true);
  });

  it('does not move in a home of layout 2, whose keys/seal is the seal key', () => {
    rmSync(paths.ledgerDb);
    createLedger({
      path: paths.ledgerDb,
      ledgerId: 'L1',
      createdMs: 1,
      version: '0.1.0',
      signingKey: KEY,
      sealKeyPath: paths.sealKey,
    });
    const seal = readFileSync(paths.sealKey, 'utf8');
    moveOldKey(paths);
    expect(existsSync(paths.logKey)).toBe(false);
    expect(readFileSync(paths.sealKey, 'utf8')).toBe(seal);
  });

  it('is left where it is, without a look at a ledger whose last change a crash cut off', () => {
    const database = new SqliteDatabase(paths.ledgerDb);
    const copy = `${paths.ledgerDb}.copy`;
    database.pragma('journal_mode = DELETE');
    database.exec('BEGIN IMMEDIATE; PRAGMA user_version = 2; CREATE TABLE more(x)');
    database.pragma('cache_spill = 1');
    for (const end of ['', '-journal']) copyFileSync(paths.ledgerDb + end, copy + end);
    database.exec('ROLLBACK');
    database.close();
    for (const end of ['', '-journal']) renameSync(copy + end, paths.ledgerDb + end);
    const seal = write(paths.sealKey, generateKeyPairSync('ed25519').privateKey);
    const log = write(paths.logKey, KEY);
    moveOldKey(paths);
    expect([readFileSync(paths.sealKey, 'utf8'), readFileSync(paths.logKey, 'utf8')]).toEqual([seal, log]);
  });
});
