import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '@subluminal/ipc';
import { expect, it, onTestFinished } from 'vitest';
import { Journal } from './journal.js';

const begun = (): { readonly journal: Journal; readonly file: string } => {
  const root = mkdtempSync('/var/tmp/sub-journal-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 'journal');
  return { journal: Journal.begin(file, { token: 'ab'.repeat(16), holder: ownIdentity() }), file };
};

it('a journal that is over may be ended again', () => {
  const { journal, file } = begun();
  journal.end();
  journal.end();
  expect(existsSync(file)).toBe(false);
});

it('a journal that cannot be ended says why, and not that its descriptor is closed', () => {
  const { journal, file } = begun();
  // Nobody takes a folder away as a file.
  renameSync(file, `${file}-moved`);
  mkdirSync(file);
  expect(() => journal.end()).toThrow(/EISDIR|EPERM/);
  journal.end();
});
