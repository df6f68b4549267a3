import { describe, expect, it } from 'vitest';
import type { Credential } from '../schema/credential.js';
import { proxyRunToken, readProxyToken } from './proxy-token.js';
import { encodeKey } from './keys.js';

const credential: Credential = {
  v: 1,
  kind: 'run',
  id: '01ARYZ6S410000000000000000',
  epoch: 1,
  ledger_id: 'led',
  key: encodeKey(new Uint8Array(32).fill(7)),
};

describe('the token of a run for the proxy', () => {
  it('is the name of the run and HKDF-SHA256 of its key', () => {
    expect(proxyRunToken(credential)).toBe(
      'subp_01ARYZ6S410000000000000000_Jjjr4UWInoLHztKDio4EyGyUDH2Rw9wUH5JdlkE5H4A',
    );
  });

  it('is another one for each server, and for none of them that of the run', () => {
    const servers = ['issues', 'notes', 'Issues', 'issues ', 'ìssues'];
    expect(proxyRunToken(credential, 'issues')).toBe(
      'subp_01ARYZ6S410000000000000000_ggwzM8MJo-n9D40pg9gJ7edQQ-Pl022t0wqqc79yM9c',
    );
    expect(proxyRunToken(credential, 'run')).toBe(proxyRunToken(credential));
    const tokens = [undefined, ...servers].map((server) => proxyRunToken(credential, server));
    expect(new Set(tokens).size).toBe(6);
  });

  it('is read back as the run and the secret', () => {
    const read = readProxyToken(proxyRunToken(credential));
    expect(read?.runId).toBe('01ARYZ6S410000000000000000');
    expect(read?.secret).toHaveLength(32);
  });

  it.each([
    '',
    'subp_',
    'subr_a_b',
    'subp_a_b',
    `${proxyRunToken(credential)}x`,
    `x${proxyRunToken(credential)}`,
  ])('is not read in `%s`', (text) => expect(readProxyToken(text)).toBeUndefined());

  it.each(['operator', 'enrol'] as const)('is none of the key of %s', (kind) => {
    expect(() => proxyRunToken({ ...credential, kind })).toThrow('only a run has a token for the proxy');
  });
});
