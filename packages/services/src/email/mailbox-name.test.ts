import fc from 'fast-check';
import { expect, it } from 'vitest';
import { folderOf, mailboxName } from './mailbox-name.js';

it.each([
  ['INBOX', 'INBOX'],
  ['Entwürfe', 'Entw&APw-rfe'],
  ['Lost & Found', 'Lost &- Found'],
  ['~peter/mail/台北/日本語', '~peter/mail/&U,BTFw-/&ZeVnLIqe-'],
])('writes `%s` as `%s`, and reads it back', (folder, name) => {
  expect(mailboxName(folder)).toBe(name);
  expect(folderOf(name)).toBe(folder);
});

it('leaves a name that is none as it is, so that nobody is told of a folder that cannot be asked for', () => {
  for (const name of ['a & b', '&AGE-', 'Entw&APw', '&AP-', 'ü']) expect(folderOf(name)).toBe(name);
});

it('reads back every folder', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (folder) => folderOf(mailboxName(folder)) === folder),
  );
});
