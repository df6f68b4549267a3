import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from '../gateway/cleanups.js';

/**
 * A certificate authority of our own and one certificate for some names; made by openssl, as an operator
 * would.
 */
export interface Authority {
  readonly caFile: string;
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

export function authority(names: readonly string[]): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'sub-ca-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const usage = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'];
  openssl('req', '-x509', ...curve, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test', ...usage);
  openssl('req', ...curve, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/CN=leaf');
  const alt = names.map((name) => (/^[0-9.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',');
  writeFileSync(join(folder, 'ext'), `subjectAltName=${alt}\nextendedKeyUsage=serverAuth\n`);
  const signed = [
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-out',
    'leaf.pem',
    '-extfile',
    'ext',
  ];
  openssl('x509', '-req', '-in', 'leaf.csr', ...signed, '-days', '30');
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return {
    caFile: join(folder, 'ca.pem'),
    ca: read('ca.pem'),
    key: read('leaf.key'),
    cert: read('leaf.pem'),
  };
}
