import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * An authority of our own, and a certificate of it for `mail.test`: made by openssl, as an operator would.
 */
export class Authority {
  readonly folder = mkdtempSync(join(tmpdir(), 'sub-mail-ca-'));

  constructor() {
    this.#openssl(
      'req',
      '-x509',
      ...KEY,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=own',
    );
    writeFileSync(join(this.folder, 'ext'), 'subjectAltName=DNS:mail.test\n');
    this.#openssl('req', '-new', ...KEY, '-keyout', 'key.pem', '-out', 'csr.pem', '-subj', '/CN=mail');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'ext'];
    this.#openssl('x509', '-req', '-in', 'csr.pem', ...signed, '-out', 'cert.pem');
  }

  path(name: 'ca.pem' | 'cert.pem' | 'key.pem'): string {
    return join(this.folder, name);
  }

  text(name: 'ca.pem' | 'cert.pem' | 'key.pem'): string {
    return readFileSync(this.path(name), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #openssl(...args: readonly string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: 'ignore' });
  }
}
