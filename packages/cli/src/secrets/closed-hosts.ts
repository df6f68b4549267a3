import { type JsonObject, type SecretBinding, secretPlaceOf } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';
import { listAt, textAt } from '../output/fields.js';

/** What is spoken over TLS, or anything. */
const OVER_TLS: ReadonlySet<string> = new Set(['', 'https', 'tcp']);

/** The places of these bindings, as `host:port`, that are not on the allowlist: no secret is put in there. Throws as `askOperator`. */
export async function closedHosts(
  home: HomePaths,
  now: () => number,
  bindings: readonly Pick<SecretBinding, 'hosts'>[],
): Promise<readonly string[]> {
  const places = bindings.flatMap(({ hosts = [] }) => hosts.map(secretPlaceOf));
  if (places.length === 0) return [];
  const entries = listAt(await askOperator(home, now, 'allow.list'), 'entries');
  const closed = places.filter((place) => !entries.some((entry) => covers(entry, place)));
  return [...new Set(closed.map(({ host, port }) => `${host}:${port}`))];
}

function covers(
  entry: JsonObject,
  { host, port }: { readonly host: string; readonly port: number },
): boolean {
  const [domain, at, protocol] = [textAt(entry, 'domain'), textAt(entry, 'port'), textAt(entry, 'protocol')];
  const isActive = textAt(entry, 'is_active') === 'true';
  return isActive && domain === host && (at === '' || at === String(port)) && OVER_TLS.has(protocol);
}
