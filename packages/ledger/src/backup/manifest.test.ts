import { sha256Hex } from '@subluminal/core-types';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkManifest, MANIFEST, renderManifest } from './manifest.js';

const LIMIT = 4 * 1024 * 1024;
const FILES = { 'ledger.db': 'the ledger', genesis: 'the genesis', 'segments/a.seg': 'closed' };
const LISTED = Object.fromEntries(
  Object.entries(FILES).map(([name, text]) => [name, { bytes: text.length, sha256: sha256Hex(text) }]),
);
const SAID = {
  createdMs: 1_760_000_000_000,
  version: '0.1.0',
  ledgerId: 'L1',
  genesis: 'ab'.repeat(32),
  entries: 12,
  files: LISTED,
  missing: [{ first: 1, last: 4 }],
};
const TEXT = renderManifest(SAID);
const GOOD: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(JSON.parse(TEXT)));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-manifest-'));
  mkdirSync(join(folder, 'segments'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const check = (text: string): unknown => {
  writeFileSync(join(folder, MANIFEST), text);
  return checkManifest(folder);
};
const changed = (members: object): string => JSON.stringify({ ...GOOD, ...members });
const withFile = (name: string, file: unknown): string => changed({ files: { ...LISTED, [name]: file } });
const noBackup = expect.objectContaining({ code: 'ledger_missing' });
const damaged = expect.objectContaining({ code: 'ledger_corrupt' });

describe('the manifest of a backup', () => {
  it('is read as it was written, with what is missing or without', () => {
    expect(check(TEXT)).toEqual(SAID);
    const whole = renderManifest({ ...SAID, missing: [] });
    expect(check(whole)).toEqual({ ...SAID, missing: [] });
    expect(JSON.parse(whole)).not.toHaveProperty('missing');
    expect(check(renderManifest(SAID))).toEqual(SAID);
  });

  it('may be four mebibytes long and no byte more', () => {
    expect(check(TEXT.padEnd(LIMIT, '\n'))).toEqual(SAID);
    expect(() => check(TEXT.padEnd(LIMIT + 1, '\n'))).toThrow(noBackup);
  });

  it('is refused where there is none, or a folder in its place', () => {
    expect(() => checkManifest(folder)).toThrow(noBackup);
    mkdirSync(join(folder, MANIFEST));
    expect(() => checkManifest(folder)).toThrow(noBackup);
  });

  it.each(['', 'null', '5', '"v"', '[]', '{}', TEXT.slice(0, -3), TEXT.replace('"v":1', '"v":1,"v":1')])(
    'is refused as %j',
    (text) => {
      expect(() => check(text)).toThrow(noBackup);
    },
  );

  it.each(['v', 'created', 'version', 'ledger_id', 'genesis', 'entries', 'files'])(
    'is refused without `%s`, and with another type of it',
    (name) => {
      expect(() => check(changed({ [name]: undefined }))).toThrow(noBackup);
      const others = [null, true, [], {}, name === 'entries' || name === 'v' ? '1' : 5];
      for (const other of others) expect(() => check(changed({ [name]: other }))).toThrow(noBackup);
    },
  );

  it.each([0, 2, 1.5])('is refused with the version %d of its format', (v) => {
    expect(() => check(changed({ v }))).toThrow(noBackup);
  });

  it.each([null, 5, 'x', {}, [5], [[]], [[1]], [['1', 4]], [[1, '4']], [[1, 4], null]])(
    'is refused with this as what is missing: %j',
    (missing) => {
      expect(() => check(changed({ missing }))).toThrow(noBackup);
    },
  );

  it('is refused where it does not list the ledger', () => {
    const { 'ledger.db': _, ...files } = LISTED;
    expect(() => check(changed({ files }))).toThrow(noBackup);
  });

  it.each([
    '',
    'other',
    '/etc/passwd',
    '../ledger.db',
    'ledger.db/',
    './genesis',
    'segments',
    'segments/',
    'segments/.a',
    'segments/../genesis',
    'segments/a/b',
    `segments/${'a'.repeat(129)}`,
    'genesis\n',
  ])('is refused with a file of the name %j', (name) => {
    expect(() => check(withFile(name, LISTED['genesis']))).toThrow(noBackup);
  });

  it('may list a closed file with a name of 128 characters', () => {
    const name = `segments/${'a'.repeat(128)}`;
    writeFileSync(join(folder, name), FILES.genesis);
    expect(check(withFile(name, LISTED['genesis']))).toMatchObject({ ledgerId: 'L1' });
  });

  it.each([
    null,
    5,
    'x',
    [],
    {},
    { bytes: 11 },
    { sha256: sha256Hex(FILES.genesis) },
    { bytes: '11', sha256: sha256Hex(FILES.genesis) },
    { bytes: null, sha256: sha256Hex(FILES.genesis) },
    { bytes: 11, sha256: 5 },
    { bytes: 11, sha256: null },
  ])('is refused where it says of a file %j', (file) => {
    expect(() => check(withFile('genesis', file))).toThrow(noBackup);
  });
});

describe('a file of a backup', () => {
  it.each(Object.keys(FILES))('is damaged where `%s` is gone, cut, longer or otherwise', (name) => {
    const path = join(folder, name);
    for (const text of ['', 'x', `${LISTED[name]?.bytes}`.padEnd(LISTED[name]?.bytes ?? 0), 'x'.repeat(99)]) {
      writeFileSync(path, text);
      expect(() => check(TEXT)).toThrow(damaged);
    }
    rmSync(path);
    expect(() => check(TEXT)).toThrow(damaged);
  });

  it('is damaged where a folder is in its place, whatever its length', () => {
    const path = join(folder, 'genesis');
    rmSync(path);
    mkdirSync(path);
    const { size: bytes } = statSync(path);
    expect(() => check(withFile('genesis', { ...LISTED['genesis'], bytes }))).toThrow(damaged);
  });

  it.each([0, 10, 12, 11.5, -1])(
    'is damaged where its hash is right and its length is not %d bytes',
    (bytes) => {
      expect(() => check(withFile('genesis', { ...LISTED['genesis'], bytes }))).toThrow(damaged);
    },
  );

  it.each(['', 'x', sha256Hex(FILES.genesis).toUpperCase(), sha256Hex('other')])(
    'is damaged where its length is right and its hash is not %j',
    (sha256) => {
      expect(() => check(withFile('genesis', { bytes: 11, sha256 }))).toThrow(damaged);
    },
  );
});
