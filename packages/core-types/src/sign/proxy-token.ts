import { hkdfSync } from 'node:crypto';
import { sha256Hex } from '../hash/node.js';
import { SublError } from '../errors/subl-error.js';
import type { Credential } from '../schema/credential.js';
import { decodeKey, encodeKey } from './keys.js';

/** How a token of a run for the proxy begins. */
export const PROXY_TOKEN_PREFIX = 'subp_';

const PROXY_TOKEN = /^subp_([A-Za-z0-9-]{1,64})_([A-Za-z0-9_-]{43})$/;

/** The name that a program writes which is no server. */
const OF_THE_RUN = 'run';

/**
 * The password that a client of a run shows to the gateway's proxy: `subp_<run id>_` and 43 characters of
 * base64url, HKDF-SHA256 over the run's key with the info `subl/v1/proxy`, and for a server
 * `subl/v1/proxy/server/` with the SHA-256 of its name behind it. It stands for the run, or for that server
 * of the run, at the proxy and for nothing else: the key cannot be computed from it, nor the token of another
 * server. Throws `not_permitted` for the key of anything but a run, `key_missing` for no key.
 */
export function proxyRunToken({ kind, id, key }: Credential, label: string = OF_THE_RUN): string {
  if (kind !== 'run') throw new SublError('not_permitted', 'only a run has a token for the proxy');
  return `${PROXY_TOKEN_PREFIX}${id}_${encodeKey(proxyRunSecret(decodeKey(key), label))}`;
}

/** The 32 bytes of a token: of a run, or of one of its servers. */
export function proxyRunSecret(runKey: Uint8Array, label: string = OF_THE_RUN): Uint8Array {
  const of = label === OF_THE_RUN ? '' : `/server/${sha256Hex(label)}`;
  return new Uint8Array(hkdfSync('sha256', runKey, new Uint8Array(0), Buffer.from(`subl/v1/proxy${of}`), 32));
}

/** The run that a token names and the secret that it shows; undefined for any other text. */
export function readProxyToken(
  token: string,
): { readonly runId: string; readonly secret: Uint8Array } | undefined {
  const [, runId, secret] = PROXY_TOKEN.exec(token) ?? [];
  if (runId === undefined || secret === undefined) return undefined;
  return { runId, secret: Uint8Array.from(Buffer.from(secret, 'base64url')) };
}
