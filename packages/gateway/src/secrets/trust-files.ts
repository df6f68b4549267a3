import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '@subluminal/core-types';
import { builtInRoots } from '@subluminal/egress';
import { writePrivateFile } from '../base/private-file.js';

/** Where systems keep what they trust, in one file. */
const SYSTEM_BUNDLES: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Two files of certificates in PEM. */
export type TrustFiles = {
  /** What the system trusts, `extra_ca_file`, and ours: for programs that take one file in place of all. */
  readonly bundle: string;
  /** Ours alone: for programs that take it besides. */
  readonly own: string;
};

/**
 * Writes what a server has to trust. The files are named by what they hold, so that those of servers that run
 * stay as they are.
 */
export function writeTrustFiles(
  folder: string,
  own: readonly string[],
  extraCas: readonly string[],
): TrustFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const all = [systemRoots(), ...extraCas.map((pem) => `${pem.trimEnd()}\n`), ...own].join('');
  return { bundle: written(folder, 'bundle', all), own: written(folder, 'own', own.join('')) };
}

/** Removes all of them. Only where no server runs that could still read one. */
export function removeTrustFiles(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function written(folder: string, kind: string, text: string): string {
  const path = join(folder, `${kind}-${sha256Hex(text).slice(0, 32)}.pem`);
  if (!existsSync(path)) writePrivateFile(path, text);
  return path;
}

function systemRoots(): string {
  const found = SYSTEM_BUNDLES.find((path) => existsSync(path));
  if (found === undefined) return `${builtInRoots().join('\n')}\n`;
  const text = readFileSync(found, 'utf8');
  return text.endsWith('\n') ? text : `${text}\n`;
}
