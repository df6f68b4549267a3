import { readNote, sha256Hex, signNote, verifyNote } from '@subluminal/core-types';
import type { SignerKey, VerifierKey } from '@subluminal/core-types';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { readStatement, renderStatement, type PolicyStatement } from './statement.js';

/** A statement with the name of the listed key that signed it. */
export interface PolicySignature extends PolicyStatement {
  readonly signer: string;
}

/** Signs a statement: a C2SP signed note, the content of `FILE.sig`. */
export function signStatement(statement: PolicyStatement, { privateKey, verifier }: SignerKey): string {
  const text = renderStatement(statement);
  return `${text}\n${signNote(text, verifier.name, privateKey, verifier.publicKey)}`;
}

/**
 * Reads a signed note of a policy, with the first of `signers` that signed it. A note with a signature of a
 * listed key that does not verify is refused as a whole, whoever else signed it.
 *
 * @returns the statement, or a few words on why it is none.
 */
export function openSignature(note: string, signers: readonly VerifierKey[]): PolicySignature | string {
  const read = readNote(note);
  if (read === undefined) return 'it is not a signed note';
  let signer: string | undefined;
  for (const key of signers) {
    const verified = verifyNote(read, key);
    if (verified === 'wrong') return `the signature of \`${key.name}\` does not verify`;
    if (verified !== 'absent') signer ??= key.name;
  }
  if (signer === undefined) return 'no listed signer has signed it';
  const statement = readStatement(read.text);
  return statement === undefined ? 'what is signed is not a policy' : { ...statement, signer };
}

/** Why a signature is not one of this file and what it compiled to; undefined where it is. */
export function foreignTo(
  signature: PolicyStatement,
  source: string,
  snapshot: PolicySnapshot,
): string | undefined {
  if (signature.file_sha256 !== sha256Hex(source))
    return 'it was made for other bytes than those of the file';
  if (signature.policy_id !== snapshot.policy_id || signature.version !== snapshot.version) {
    return `it names \`${signature.policy_id}\` ${signature.version}, and not what the file says`;
  }
  if (signature.policy_hash === snapshot.policy_hash) return undefined;
  return 'this version of Subluminal reads the file as another policy than the one that was signed';
}
