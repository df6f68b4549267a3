import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attack, openInThread, Scratch } from '../../testing/scratch.js';
import { inspectLedger, openLedgerReader, verifyLedger } from '../index.js';

describe('a ledger from before schema version 1', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await new Scratch().fill();
    attack(scratch.path, (db) => db.exec('PRAGMA application_id=0x5375626c; PRAGMA user_version=2'));
  });
  afterAll(() => scratch.remove());

  const refused = expect.objectContaining({
    code: 'home_too_old',
    help: expect.stringContaining('to keep it, move the whole home elsewhere'),
  });

  it('is refused by the writer, in its own thread too', async () => {
    await expect(scratch.open()).rejects.toEqual(refused);
    await expect(scratch.open({}, openInThread)).rejects.toEqual(refused);
  });

  it('is refused by readers', () => {
    expect(() => openLedgerReader(scratch.path)).toThrow(refused);
    expect(() => inspectLedger(scratch.path)).toThrow(refused);
  });

  it('is left unchecked by a verification, which says why and what to do', async () => {
    expect(await verifyLedger(scratch.path)).toMatchObject({
      verdict: 'unchecked',
      exit: 1,
      reasons: [expect.stringContaining('is older than this version reads')],
      help: expect.stringContaining('to keep it'),
    });
  });
});
