import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFromSeed, Scratch, SIGNING_KEY } from '../../testing/scratch.js';
import { createLedger, verifyLedger } from '../index.js';

describe('creating a ledger', () => {
  let scratch: Scratch;
  let sealKeyPath: string;
  beforeEach(() => {
    scratch = new Scratch();
    sealKeyPath = `${scratch.keys}/seal`;
  });
  afterEach(() => scratch.remove());

  const create = (ledgerId = 'L1') =>
    createLedger({
      path: scratch.path,
      ledgerId,
      createdMs: 5,
      version: '0.1.0',
      signingKey: SIGNING_KEY,
      sealKeyPath,
    });

  it('leaves one file, readable by its owner only', () => {
    create();
    expect(readdirSync(scratch.folder)).toEqual(['ledger.db']);
    expect(statSync(scratch.path).mode & 0o777).toBe(0o600);
  });

  it.each(['', '-wal', '-shm', '-journal'])('never replaces anything: `ledger.db%s`', (end) => {
    writeFileSync(scratch.path + end, '');
    expect(() => create()).toThrow(expect.objectContaining({ code: 'ledger_incomplete' }));
    expect(readFileSync(scratch.path + end, 'utf8')).toBe('');
    expect(readdirSync(scratch.folder)).toHaveLength(1);
  });

  it('never follows a link or replaces a folder', () => {
    symlinkSync(`${scratch.folder}/elsewhere`, scratch.path);
    expect(() => create()).toThrow(expect.objectContaining({ code: 'ledger_incomplete' }));
    expect(existsSync(`${scratch.folder}/elsewhere`)).toBe(false);
    mkdirSync(`${scratch.folder}/folder`);
    expect(() =>
      createLedger({
        path: `${scratch.folder}/folder`,
        ledgerId: 'L1',
        createdMs: 5,
        version: '1',
        signingKey: SIGNING_KEY,
        sealKeyPath,
      }),
    ).toThrow(expect.objectContaining({ code: 'ledger_incomplete' }));
  });

  it.each(['', 'a b', 'a\nb', 'a+b', 'x'.repeat(65)])(
    'refuses %j as an id: it stands in every preimage',
    (id) => {
      expect(() => create(id)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
      expect(existsSync(scratch.path)).toBe(false);
    },
  );

  it('gives ledgers of different keys, ids and times different fingerprints', () => {
    const at = (name: string, ledgerId: string, createdMs: number, seed: number) =>
      createLedger({
        path: `${scratch.folder}/${name}`,
        ledgerId,
        createdMs,
        version: '0.1.0',
        signingKey: keyFromSeed(seed),
        sealKeyPath,
      }).fingerprint;
    const fingerprints = [at('a', 'L1', 1, 1), at('b', 'L2', 1, 1), at('c', 'L1', 2, 1), at('d', 'L1', 1, 2)];
    expect(new Set(fingerprints).size).toBe(4);
    expect(at('e', 'L1', 1, 1)).toBe(fingerprints[0]);
  });

  it('makes an empty ledger that is consistent but proves nothing', async () => {
    const { fingerprint } = create();
    const report = await verifyLedger(scratch.path, { pin: fingerprint });
    expect(report).toMatchObject({
      verdict: 'unproven',
      entries: 0,
      genesisFingerprint: fingerprint,
      headSize: 0,
    });
  });
});
