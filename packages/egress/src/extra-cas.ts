import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';

const MAX_BYTES = 4 * 1024 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g;

/**
 * The certificates of `[egress] extra_ca_file`, each in PEM. Other text between them is ignored.
 *
 * @throws SublError `config_invalid` for a file that cannot be read, is larger than 4 MiB, holds none, or one
 *   that is none.
 */
export function readExtraCas(path: string): readonly string[] {
  const certificates = textOf(path).match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw invalid(path, 'holds no certificate');
  for (const [at, text] of certificates.entries()) {
    try {
      void new X509Certificate(text);
    } catch (cause) {
      throw invalid(path, `cannot be read: its certificate ${at + 1} is none`, cause);
    }
  }
  return certificates;
}

function textOf(path: string): string {
  try {
    if (statSync(path).size <= MAX_BYTES) return readFileSync(path, 'utf8');
  } catch (cause) {
    throw invalid(path, 'cannot be read', cause);
  }
  throw invalid(path, 'is larger than 4 MiB');
}

function invalid(path: string, what: string, cause?: unknown): SublError {
  return new SublError('config_invalid', `the file of \`[egress] extra_ca_file\`, \`${path}\`, ${what}`, {
    help: 'it holds certificates of authorities in PEM, or leave the key out',
    cause,
  });
}
