import { TOKEN_HEADER, UPSTREAM_HEADER } from '../../ours.js';
import type { ServerEntry } from '../../client.js';
import type { Shape } from './shape.js';
import { memberOf } from './tree.js';

/** The kind of an entry to a client, and why it cannot be routed. */
export type Kind = Pick<ServerEntry, 'kind' | 'cannot'>;

/** The words that one client has in `type`; a missing one is what `without` says. */
export interface Types {
  readonly stdio: readonly string[];
  readonly http: readonly string[];
  readonly sse: readonly string[];
  /** The kind of an entry with an address and no type. */
  readonly untypedUrl: (url: { readonly key: string; readonly value: string }) => Kind;
}

const SSE = 'it speaks the HTTP+SSE transport of 2024, which is not routed';

/** A remote server of the transport of 2024. */
export const OLD_SSE: Kind = { kind: 'sse', cannot: SSE };

/** A remote server that its client has a login for. */
const SIGNS_IN: Kind = {
  kind: 'http',
  cannot: 'it signs in with oauth, which the client does with the server itself',
};

/** Which kind an entry is, and whether its form is one that can be routed. */
export function classify(shape: Shape, types: Types): Kind {
  const { node, type, command, url } = shape;
  if (shape.ours !== undefined) return { kind: 'ours' };
  if (node.kind !== 'object') return unknown('it is no object');
  if (memberOf(node, 'type') !== undefined && type === undefined) return unknown('its `type` is no text');
  if (type !== undefined) {
    if (types.stdio.includes(type)) return stdio(shape);
    if (types.sse.includes(type)) return OLD_SSE;
    if (types.http.includes(type)) return url === undefined ? unknown('it has no address') : http(shape);
    return unknown(`servers of type \`${type}\` are not routed`);
  }
  if (command !== undefined) return stdio(shape);
  if (url === undefined) return unknown('it has neither a command nor an address');
  const kind = types.untypedUrl(url);
  return kind.kind === 'http' && kind.cannot === undefined ? http(shape) : kind;
}

/** A remote server is left as it is where its entry has one of these keys: the client signs in to it. */
export function unlessSignedIn(found: Kind, { node }: Shape, keys: readonly string[]): Kind {
  return found.kind === 'http' && keys.some((key) => memberOf(node, key) !== undefined) ? SIGNS_IN : found;
}

/** An entry that is not routed, and why. */
export function unknown(cannot: string): Kind {
  return { kind: 'unknown', cannot };
}

function stdio({ command, args, node }: Shape): Kind {
  if (command === undefined || command === '') return unknown('it has no command');
  if (args === null) return unknown('its `args` are not a list of texts');
  const env = memberOf(node, 'env')?.value;
  if (env !== undefined && env.kind !== 'object') return unknown('its `env` is no object');
  const odd = env?.members.find(({ key }) => key === '' || /[=\p{Cc}\p{Cs}]/u.test(key));
  if (odd !== undefined) return unknown('its `env` has a name that no variable can have');
  return { kind: 'stdio' };
}

function http({ node }: Shape): Kind {
  const headers = memberOf(node, 'headers')?.value;
  if (headers === undefined) return { kind: 'http' };
  if (headers.kind !== 'object') return unknown('its `headers` are no object');
  const ours = [UPSTREAM_HEADER, TOKEN_HEADER].map((name) => name.toLowerCase());
  const taken = headers.members.some(({ key }) => ours.includes(key.toLowerCase()));
  return taken ? unknown('it has a header of the name that routing needs') : { kind: 'http' };
}
