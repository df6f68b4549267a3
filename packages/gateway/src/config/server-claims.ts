import { type GatewayConfig, SublError } from '@subluminal/core-types';
import type { ConfigFile } from './form.js';
import { PerVersion } from './per-version.js';
import { parseEndpoint, type Endpoint } from '@subluminal/egress';

/** Which name of a remote server has which addresses, and which addresses belong to whom. */
interface Table {
  /** By name: `origin` and target, exactly. */
  readonly exact: ReadonlyMap<string, ReadonlySet<string>>;
  /** By folded address: the names that have it. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * `[servers.NAME] url` of `config.toml`, as it stands now: rules and secrets go by names, so a name that has
 * an address is reached there alone, and an address that has a name under that name alone. Every check throws
 * `config_invalid` or `not_available` where the file cannot be read: what it says is not known then.
 */
export class ServerClaims {
  readonly #table: PerVersion<Table>;

  constructor(config: ConfigFile) {
    this.#table = new PerVersion(config, tableOf);
  }

  /** @throws SublError `not_allowed` where the name has another address, or the address another name. */
  check(name: string, asked: Endpoint): void {
    const table = this.#table.now;
    const own = table.exact.get(name);
    if (own !== undefined && !own.has(exactly(asked)))
      throw new SublError('not_allowed', `\`${name}\` has another address in config.toml`);
    assertFree(table, name, asked);
  }

  /**
   * The same of where a server sends a request of that name: to an address of its own, but to none of another
   * name.
   */
  checkRedirect(name: string, target: Endpoint): void {
    assertFree(this.#table.now, name, target);
  }
}

function assertFree({ owners }: Table, name: string, asked: Endpoint): void {
  const names = owners.get(folded(asked));
  if (names === undefined || names.has(name)) return;
  const [owner = ''] = names;
  throw new SublError('not_allowed', `this address is used under the name \`${owner}\`, not \`${name}\``);
}

function tableOf({ servers = {} }: GatewayConfig): Table {
  const exact = new Map<string, Set<string>>();
  const owners = new Map<string, Set<string>>();
  for (const [name, { url }] of Object.entries(servers)) {
    if (url === undefined) continue;
    const endpoints = [url].flat().map((one) => endpointOf(name, one));
    exact.set(name, new Set(endpoints.map(exactly)));
    for (const address of endpoints.map(folded))
      owners.set(address, (owners.get(address) ?? new Set()).add(name));
  }
  return { exact, owners };
}

function endpointOf(name: string, url: string): Endpoint {
  try {
    return parseEndpoint(url);
  } catch (cause) {
    throw new SublError(
      'config_invalid',
      `\`url\` of the server \`${name}\` in config.toml has no usable host`,
      { cause },
    );
  }
}

/** An address that is compared as it is: origin, path and query. */
export function exactly({ destination, target }: Endpoint): string {
  return destination.origin + target;
}

/**
 * An address without what many servers do not look at: the query, the case of its path, slashes too many,
 * escapes of characters that need none, parameters of segments. Another spelling is no way to another name.
 */
function folded({ destination, target }: Endpoint): string {
  const segments: string[] = [];
  for (const segment of unescaped(target.split('?', 1)[0] ?? '')
    .replaceAll('\\', '/')
    .split('/')) {
    const plain = (segment.split(';', 1)[0] ?? '').toLowerCase();
    if (plain === '..') segments.pop();
    else if (plain !== '' && plain !== '.') segments.push(plain);
  }
  return [destination.origin, ...segments].join('/');
}

/** How often an address may be escaped over again before what is left counts as its text. */
const MAX_ESCAPES = 4;

function unescaped(path: string): string {
  let text = path;
  for (let round = 0; round < MAX_ESCAPES && text.includes('%'); round += 1)
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return text;
}
