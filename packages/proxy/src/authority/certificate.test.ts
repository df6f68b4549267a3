import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { issueAuthority, issueLeaf, keyText } from './certificate.js';
import { integer, oid, tagged, time } from './der.js';

const HOST = 'api.example.com';
const DAY_MS = 86_400_000;
const NOW = Date.now();
const issuing = { now: NOW, lifeMs: 30 * DAY_MS, random: randomBytes };
const authority = issueAuthority(HOST, issuing);
const folder = mkdtempSync(join(tmpdir(), 'sub-x509-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
writeFileSync(at('ca.pem'), authority.pem);
writeFileSync(at('ca.key'), keyText(authority.key));

/** What openssl says of a chain: the empty text where it holds. */
function verified(leaf: string, host = ''): string {
  writeFileSync(at('leaf.pem'), leaf);
  const names = host === '' ? [] : ['-verify_hostname', host];
  const args = [
    'verify',
    '-x509_strict',
    '-purpose',
    'sslserver',
    ...names,
    '-CAfile',
    at('ca.pem'),
    at('leaf.pem'),
  ];
  const { status, stdout, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/** A certificate that whoever stole the authority's key would make. */
function forged(extension: string): string {
  writeFileSync(at('ext'), `${extension}\n`);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('f.key')];
  execFileSync('openssl', ['req', ...key, '-out', at('f.csr'), '-subj', '/CN=x'], { stdio: 'pipe' });
  const sign = [
    '-CA',
    at('ca.pem'),
    '-CAkey',
    at('ca.key'),
    '-CAcreateserial',
    '-extfile',
    at('ext'),
    '-days',
    '5',
  ];
  return String(execFileSync('openssl', ['x509', '-req', '-in', at('f.csr'), ...sign], { stdio: 'pipe' }));
}

describe('the authority of a host', () => {
  it('vouches for that host', () => {
    const leaf = issueLeaf(HOST, authority, issuing);
    expect(verified(leaf.pem, HOST)).toBe('');
    const read = new X509Certificate(leaf.pem);
    expect(read.subjectAltName).toBe(`DNS:${HOST}`);
    expect(read.checkIssued(new X509Certificate(authority.pem))).toBe(true);
    expect(read.ca).toBe(false);
    expect(Date.parse(read.validTo)).toBe(Math.floor((NOW + 30 * DAY_MS) / 1000) * 1000);
    expect(new X509Certificate(issueLeaf(HOST, authority, issuing).pem).serialNumber).not.toBe(
      read.serialNumber,
    );
  });

  it.each([
    ['another host', 'subjectAltName=DNS:other.example.com', /permitted subtree/],
    ['the host above', 'subjectAltName=DNS:example.com', /permitted subtree/],
    ['that host and another', `subjectAltName=DNS:${HOST},DNS:other.example.com`, /permitted subtree/],
    ['every host of a domain', 'subjectAltName=DNS:*.example.com', /permitted subtree/],
    ['an address', 'subjectAltName=IP:127.0.0.1', /excluded subtree/],
    ['an address of IPv6', 'subjectAltName=IP:::1', /excluded subtree/],
  ])('vouches in nobody’s hands for %s', (_what, extension, why) => {
    expect(
      verified(forged(`${extension}\nextendedKeyUsage=serverAuth\nauthorityKeyIdentifier=keyid`)),
    ).toMatch(why);
  });

  it('makes no other authority', () => {
    const below = issueAuthority(HOST, issuing);
    writeFileSync(at('below.key'), keyText(below.key));
    const sub = forged('basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign');
    writeFileSync(at('sub.pem'), sub);
    writeFileSync(at('ext'), `subjectAltName=DNS:${HOST}`);
    execFileSync(
      'openssl',
      ['req', '-newkey', 'rsa:2048', '-nodes', '-keyout', at('l.key'), '-out', at('l.csr'), '-subj', '/CN=l'],
      { stdio: 'pipe' },
    );
    const sign = ['-CA', at('sub.pem'), '-CAkey', at('f.key'), '-CAcreateserial', '-extfile', at('ext')];
    writeFileSync(
      at('l.pem'),
      execFileSync('openssl', ['x509', '-req', '-in', at('l.csr'), ...sign], { stdio: 'pipe' }),
    );
    const { status, stderr } = spawnSync(
      'openssl',
      ['verify', '-CAfile', at('ca.pem'), '-untrusted', at('sub.pem'), at('l.pem')],
      { encoding: 'utf8' },
    );
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/path length constraint exceeded/);
  });
});

describe('the encoding of certificates', () => {
  it('is that of X.690', () => {
    expect(oid('1.2.840.10045.4.3.2').toString('hex')).toBe('06082a8648ce3d040302');
    expect(integer(Buffer.of(0, 0, 0x80)).toString('hex')).toBe('02020080');
    expect(integer(Buffer.of(0)).toString('hex')).toBe('020100');
    expect(tagged(0x04, Buffer.alloc(300)).subarray(0, 4).toString('hex')).toBe('0482012c');
    expect(time(Date.UTC(2049, 11, 31, 23, 59, 59)).toString('latin1')).toBe('\u0017\r491231235959Z');
    expect(time(Date.UTC(2050, 0, 1)).toString('latin1')).toBe('\u0018\u000f20500101000000Z');
  });

  it('is read back for every name and time', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
    const hosts = fc.tuple(label, label, fc.constantFrom('com', 'example')).map((labels) => labels.join('.'));
    const moments = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2090, 0) });
    fc.assert(
      fc.property(hosts, moments, (host, now) => {
        const own = issueAuthority(host, { ...issuing, now });
        const leaf = new X509Certificate(issueLeaf(host, own, { ...issuing, now }).pem);
        expect(leaf.verify(new X509Certificate(own.pem).publicKey)).toBe(true);
        expect(leaf.checkHost(host)).toBe(host);
        expect(Date.parse(leaf.validFrom)).toBe(Math.floor((now - 3_600_000) / 1000) * 1000);
      }),
      { numRuns: 40 },
    );
  });
});
