import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { expect, onTestFinished, test } from 'vitest';
import { subjectOf } from './memory.js';

test('the memory of the ledger that a key names is found at the usual place, where the home names another by now', () => {
  const root = mkdtempSync(join(tmpdir(), 'memory-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = homePaths(join(root, 'home'));
  const folders = { own: join(root, 'own'), usual: join(root, 'usual') };
  const key = {
    v: 1,
    ledger_id: 'ledger-0001',
    kind: 'operator',
    id: 'operator',
    epoch: 1,
    key: 'A'.repeat(43),
  };
  mkdirSync(home.keysDir, { recursive: true, mode: 0o700 });
  writeFileSync(home.operatorKey, JSON.stringify(key), { mode: 0o600 });
  writeFileSync(home.stateHome, `${folders.own}\n`, { mode: 0o600 });
  const headsLog = (): string | undefined => subjectOf(home, undefined, undefined, [folders.usual]).headsLog;
  const logAt = (folder: string): string => join(folder, 'subluminal', key.ledger_id, 'heads.log');
  expect(headsLog()).toBe(logAt(folders.own));
  for (const folder of [folders.usual, folders.own]) {
    mkdirSync(join(logAt(folder), '..'), { recursive: true });
    writeFileSync(logAt(folder), '');
    expect(headsLog()).toBe(logAt(folder));
  }
});
