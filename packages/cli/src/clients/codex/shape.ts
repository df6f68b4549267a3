import type { ServerEntry } from '../client.js';
import { isLauncher, isRoutedUrl, readOurs, TOKEN_HEADER, UPSTREAM_HEADER, type Ours } from '../ours.js';
import { tokensIn } from '../tokens.js';
import { meaningAt, type Meaning, type Table } from '../../text/toml/meaning.js';

/** The parts of an entry that routing looks at. */
export interface Shape {
  readonly table: Table;
  readonly command: string | undefined;
  /** Undefined where there are none; null where they are not a list of texts. */
  readonly args: readonly string[] | null | undefined;
  /** The names of variables that Codex hands on; null where the list cannot be read. */
  readonly envVars: readonly string[] | null | undefined;
  readonly envKeys: readonly string[];
  readonly tokens: readonly string[];
  readonly url: string | undefined;
  readonly headers: Table | undefined;
  /** Whether the entry is routed already. */
  readonly ours: Ours | 'http' | undefined;
}

/** Reads an entry. */
export function shapeOf(table: Table): Shape {
  const command = textAt(table, 'command');
  const args = textsOf(table.get('args'), () => undefined);
  const envVars = textsOf(table.get('env_vars'), (item) => textAt(item, 'name'));
  const env = table.get('env');
  const url = textAt(table, 'url');
  const headers = table.get('http_headers');
  const ours = command !== undefined && args ? readOurs(command, args) : undefined;
  return {
    table,
    command,
    args,
    envVars,
    envKeys: [...new Set([...(env instanceof Map ? env.keys() : []), ...(envVars ?? [])])],
    tokens: tokensIn(env instanceof Map ? env : []),
    url,
    headers: headers instanceof Map ? headers : undefined,
    ours: ours ?? (url !== undefined && isRouted(headers, url) ? 'http' : undefined),
  };
}

/** The kind of an entry to Codex, and why it cannot be routed where it cannot. */
export function kindOf(shape: Shape): Pick<ServerEntry, 'kind' | 'cannot'> {
  const { table, command, url } = shape;
  if (shape.ours !== undefined) return { kind: 'ours' };
  if (command !== undefined && url !== undefined) return unknown('it has both a command and an address');
  if (command !== undefined) return stdio(shape);
  if (url !== undefined) return http(shape);
  if (table.has('command') || table.has('url')) return unknown('its command or address is no text');
  return unknown('it changes a server that another file names, and has no command or address itself');
}

/** `sub hooks serve codex`, which answers the hooks: no server of anybody's. */
export function isControlServer({ command, args }: Pick<Shape, 'args' | 'command'>): boolean {
  const at = args?.indexOf('hooks') ?? -1;
  if (at === -1 || args?.[at + 1] !== 'serve') return false;
  return at === 0 ? isLauncher(command, args) : /(?:^|[/\\])sub(?:\.mjs)?$/.test(args[at - 1] ?? '');
}

function stdio(shape: Shape): Pick<ServerEntry, 'kind' | 'cannot'> {
  const { table, command, args, envVars, envKeys } = shape;
  if (command === '') return unknown('it has no command');
  if (args === null) return unknown('its `args` are not a list of texts');
  if (envVars === null) return unknown('its `env_vars` are not a list of names');
  const env = table.get('env');
  if (env !== undefined && !(env instanceof Map)) return unknown('its `env` is no table');
  if (envKeys.some((key) => key === '' || /[=\p{Cc}\p{Cs}]/u.test(key))) {
    return unknown('it names a variable that cannot be one');
  }
  const place = textAt(table, 'environment_id');
  if (place !== undefined && place !== 'local')
    return { kind: 'stdio', cannot: 'it runs on another machine' };
  return { kind: 'stdio' };
}

/**
 * Keys by which Codex logs in to a server itself, or has another program do so: its tokens are for that
 * address alone.
 */
const LOGINS = ['auth', 'oauth', 'oauth_resource', 'scopes', 'http_headers_helper'];

function http({ table, url, headers }: Shape): Pick<ServerEntry, 'kind' | 'cannot'> {
  if (!/^https?:\/\/[^/]/i.test(url ?? '')) return unknown('its address is none of HTTP');
  for (const key of ['http_headers', 'env_http_headers']) {
    const value = table.get(key);
    const values = value instanceof Map ? [...value.values()] : undefined;
    if (value !== undefined && values?.every((one) => typeof one === 'string') !== true) {
      return unknown(`its \`${key}\` are no table of texts`);
    }
  }
  const names = [...(headers?.keys() ?? []), ...keysAt(table, 'env_http_headers')];
  if (names.some((name) => name.toLowerCase().startsWith('subluminal-'))) {
    return unknown('it has a header of a name that routing needs');
  }
  const login = LOGINS.find((key) => table.has(key));
  if (login !== undefined) {
    return { kind: 'http', cannot: `Codex logs in to it itself (\`${login}\`), and only at its own address` };
  }
  return { kind: 'http' };
}

function unknown(cannot: string): Pick<ServerEntry, 'kind' | 'cannot'> {
  return { kind: 'unknown', cannot };
}

/** The headers that a routed remote entry must have: without them nothing could be put back. */
function isRouted(headers: Meaning | undefined, url: string): boolean {
  return (
    isRoutedUrl(url) &&
    textAt(headers, UPSTREAM_HEADER) !== undefined &&
    textAt(headers, TOKEN_HEADER) !== undefined
  );
}

/** The text at one key of a table, undefined where there is no text. */
export function textAt(table: Meaning | undefined, key: string): string | undefined {
  const value = meaningAt(table, [key]);
  return typeof value === 'string' ? value : undefined;
}

function keysAt(table: Table, key: string): readonly string[] {
  const value = table.get(key);
  return value instanceof Map ? [...value.keys()] : [];
}

function textsOf(
  value: Meaning | undefined,
  other: (item: Meaning) => string | undefined,
): readonly string[] | null | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return null;
  const texts = value.flatMap((item: Meaning) => (typeof item === 'string' ? item : (other(item) ?? [])));
  return texts.length === value.length ? texts : null;
}
