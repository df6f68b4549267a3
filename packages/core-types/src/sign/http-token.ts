import { hkdfSync } from 'node:crypto';
import { SublError } from '../errors/subl-error.js';
import type { Credential } from '../schema/credential.js';
import { decodeKey, encodeKey } from './keys.js';

/** How a token of a run begins, and one by which a client without a run may open one. */
export const RUN_TOKEN_PREFIX = 'subr_';
export const ENROL_TOKEN_PREFIX = 'sube_';

const RUN_TOKEN = /^subr_([A-Za-z0-9-]{1,64})_([A-Za-z0-9_-]{43})$/;

/**
 * The token that a client of a run shows to the gateway over HTTP (`SUB_HTTP_TOKEN`): `subr_<run id>_` and 43
 * characters of base64url, HKDF-SHA256 over the run's key with the info `subl/v1/http`. It stands for the run
 * in HTTP requests and for nothing else: the key cannot be computed from it. Throws `not_permitted` for the
 * key of anything but a run, `key_missing` for no key.
 */
export function httpRunToken({ kind, id, key }: Credential): string {
  if (kind !== 'run') throw new SublError('not_permitted', 'only a run has a token for HTTP');
  return `${RUN_TOKEN_PREFIX}${id}_${encodeKey(httpRunSecret(decodeKey(key)))}`;
}

/** The 32 bytes of a run's token. */
export function httpRunSecret(runKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', runKey, new Uint8Array(0), Buffer.from('subl/v1/http'), 32));
}

/** The run that a token names and the secret that it shows; undefined for any other text. */
export function readRunToken(
  token: string,
): { readonly runId: string; readonly secret: Uint8Array } | undefined {
  const [, runId, secret] = RUN_TOKEN.exec(token) ?? [];
  if (runId === undefined || secret === undefined) return undefined;
  return { runId, secret: Uint8Array.from(Buffer.from(secret, 'base64url')) };
}
