import { describe, expect, it } from 'vitest';
import type { Credential } from '../schema/credential.js';
import { httpRunToken, readRunToken } from './http-token.js';
import { encodeKey } from './keys.js';

const credential: Credential = {
  v: 1,
  kind: 'run',
  id: '01ARYZ6S410000000000000000',
  epoch: 1,
  ledger_id: 'led',
  key: encodeKey(new Uint8Array(32).fill(7)),
};

describe('the token of a run for HTTP', () => {
  it('is the name of the run and HKDF-SHA256 of its key', () => {
    expect(httpRunToken(credential)).toBe(
      'subr_01ARYZ6S410000000000000000_x07ESd6R1idY7gv4cdWE4vY-w35c8aYE67iJl8t3Nos',
    );
  });

  it('is read back as the run and the secret', () => {
    const read = readRunToken(httpRunToken(credential));
    expect(read?.runId).toBe('01ARYZ6S410000000000000000');
    expect(read?.secret).toHaveLength(32);
  });

  it.each([
    '',
    'subr_',
    'sube_x',
    'subr_a_b',
    `${httpRunToken(credential)}x`,
    `x${httpRunToken(credential)}`,
  ])('is not read in `%s`', (text) => expect(readRunToken(text)).toBeUndefined());

  it.each(['operator', 'enrol'] as const)('is none of the key of %s', (kind) => {
    expect(() => httpRunToken({ ...credential, kind })).toThrow('only a run has a token for HTTP');
  });
});
