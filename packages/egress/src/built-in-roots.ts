import { rootCertificates } from 'node:tls';

/** The certificates that Node trusts by itself, in PEM. */
export function builtInRoots(): readonly string[] {
  return rootCertificates;
}
