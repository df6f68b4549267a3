import {
  isHeaderBinding,
  listAt,
  secretPlaceOf,
  textAt,
  type JsonObject,
  type SecretBinding,
} from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/** Where a secret is sent to, and over what. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly over: 'http' | 'https';
}

/**
 * The places of these bindings, as `host:port`, that are not on the allowlist: no secret is put in there.
 * Throws as `askOperator`.
 */
export async function closedHosts(
  home: HomePaths,
  now: () => number,
  bindings: readonly SecretBinding[],
): Promise<readonly string[]> {
  const places = bindings.flatMap(placesOf);
  if (places.length === 0) return [];
  const entries = listAt(await askOperator(home, now, 'allow.list'), 'entries');
  const closed = places.filter((place) => !entries.some((entry) => covers(entry, place)));
  return [...new Set(closed.map(({ host, port }) => `${host}:${port}`))];
}

function placesOf(binding: SecretBinding): readonly Place[] {
  if (!isHeaderBinding(binding))
    return (binding.hosts ?? []).map((text) => ({ ...secretPlaceOf(text), over: 'https' }));
  const { protocol, hostname, port } = new URL(binding.url);
  const over = protocol === 'https:' ? 'https' : 'http';
  // As the allowlist has an address of IPv6: without brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return [{ host, port: port === '' ? DEFAULT_PORT[over] : Number(port), over }];
}

function covers(entry: JsonObject, { host, port, over }: Place): boolean {
  const [domain, at, protocol] = [textAt(entry, 'domain'), textAt(entry, 'port'), textAt(entry, 'protocol')];
  const isActive = textAt(entry, 'is_active') === 'true';
  return (
    isActive && domain === host && (at === '' || at === String(port)) && ['', 'tcp', over].includes(protocol)
  );
}
