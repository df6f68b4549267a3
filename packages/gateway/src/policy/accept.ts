import { isSublError, MAX_NOTE, readVerifierKey, sha256Hex, SublError } from '@subluminal/core-types';
import type { GatewayConfig, VerifierKey } from '@subluminal/core-types';
import { readOwnText } from '@subluminal/ipc';
import { foreignTo, openSignature, type PolicySignature, type PolicySnapshot } from '@subluminal/policy';

/** Which policy files take effect, and when: `[policy]` of config.toml. */
export interface Acceptance {
  readonly accept: GatewayConfig['policy']['accept'];
  readonly signers: readonly VerifierKey[];
}

/** The signed policy that was loaded last. */
export interface LastSigned {
  readonly serial: number;
  readonly fileSha256: string;
}

/** A signature as it was found beside its file. */
export interface FoundSignature {
  readonly note: string;
  readonly signature: PolicySignature;
}

/** What config.toml says of policies; its keys were checked when it was read. */
export function acceptanceOf({ accept, signers }: GatewayConfig['policy']): Acceptance {
  return { accept, signers: signers.flatMap((text) => readVerifierKey(text) ?? []) };
}

/** Where the signature of a policy file stands. */
export function signaturePath(policyPath: string): string {
  return `${policyPath}.sig`;
}

/**
 * The text beside the file, undefined where there is none. Throws `policy_unsigned` for what is no file of
 * ours.
 */
export function readSignatureFile(policyPath: string): string | undefined {
  try {
    return readOwnText(signaturePath(policyPath), { maxBytes: MAX_NOTE, forbidden: 0o022 });
  } catch (cause) {
    if (!isSublError(cause, 'home_unsafe')) throw cause;
    throw unsigned(`its signature ${cause.message}`, cause);
  }
}

/**
 * Checks that a listed signer has signed this file, with this meaning.
 *
 * @throws SublError `policy_unsigned`.
 */
export function checkSigned(
  note: string | undefined,
  source: string,
  snapshot: PolicySnapshot,
  signers: readonly VerifierKey[],
): FoundSignature {
  const found = checkSignedBytes(note, source, signers);
  const foreign = foreignTo(found.signature, source, snapshot);
  if (foreign !== undefined) throw unsigned(foreign);
  return found;
}

/**
 * The same of the bytes alone: what nobody has signed is not even read.
 *
 * @throws SublError `policy_unsigned`.
 */
export function checkSignedBytes(
  note: string | undefined,
  source: string,
  signers: readonly VerifierKey[],
): FoundSignature {
  if (note === undefined) throw unsigned('there is no `policy.yaml.sig` beside it');
  const signature = openSignature(note, signers);
  if (typeof signature === 'string') throw unsigned(signature);
  if (signature.file_sha256 === sha256Hex(source)) return { note, signature };
  throw unsigned('it was made for other bytes than those of the file');
}

/**
 * Checks that a signature is not older than the one that was loaded last: who keeps old signed files brings
 * none back.
 *
 * @throws SublError `policy_outdated`.
 */
export function checkNotOlder({ signature }: FoundSignature, last: LastSigned | undefined): void {
  if (last === undefined || signature.serial > last.serial) return;
  if (signature.serial === last.serial && signature.file_sha256 === last.fileSha256) return;
  const what =
    signature.serial === last.serial
      ? `another policy with its serial ${signature.serial} was loaded before`
      : `its serial ${signature.serial} is lower than ${last.serial}, which was loaded before`;
  throw new SublError('policy_outdated', `the policy file is signed, but ${what}`, {
    help: 'sign it again: that gives it a higher serial',
  });
}

function unsigned(why: string, cause?: unknown): SublError {
  return new SublError('policy_unsigned', `the policy file has no signature that counts: ${why}`, {
    cause,
    help: 'sign it with `sub policy sign` and the key of a signer that config.toml lists',
  });
}
