import { isRoutedUrl, readOurs, TOKEN_HEADER, UPSTREAM_HEADER, type Ours } from '../../ours.js';
import { tokensIn } from '../../tokens.js';
import { memberOf, stringAt, type JsonNode } from './tree.js';

/** The parts of an entry that routing looks at. */
export interface Shape {
  readonly node: JsonNode;
  readonly type: string | undefined;
  readonly command: string | undefined;
  /** Undefined where there are none; null where they are not a list of texts. */
  readonly args: readonly string[] | null | undefined;
  readonly envKeys: readonly string[];
  readonly tokens: readonly string[];
  readonly envFile: string | undefined;
  /** The member that holds the address, and the address. */
  readonly url: { readonly key: string; readonly value: string } | undefined;
  /** Whether the entry is routed already. */
  readonly ours: Ours | 'http' | undefined;
}

/** Reads an entry; `urlKeys` are the members that may hold an address, the first that is there counts. */
export function shapeOf(node: JsonNode, urlKeys: readonly string[]): Shape {
  const command = stringAt(node, 'command');
  const args = textsAt(node, 'args');
  const env = memberOf(node, 'env')?.value;
  const urlKey = urlKeys.find((key) => memberOf(node, key) !== undefined);
  const value = urlKey === undefined ? undefined : stringAt(node, urlKey);
  const url = urlKey === undefined || value === undefined ? undefined : { key: urlKey, value };
  const stdio = command !== undefined && args ? readOurs(command, args) : undefined;
  return {
    node,
    type: stringAt(node, 'type'),
    command,
    args,
    envKeys: env?.kind === 'object' ? env.members.map(({ key }) => key) : [],
    tokens:
      env?.kind === 'object'
        ? tokensIn(
            env.members.map((one) => [one.key, one.value.kind === 'string' ? one.value.value : undefined]),
          )
        : [],
    envFile: stringAt(node, 'envFile'),
    url,
    ours: stdio ?? (url !== undefined && isRouted(node, url.value) ? 'http' : undefined),
  };
}

/** The headers that a routed remote entry must have: without them nothing could be put back. */
function isRouted(node: JsonNode, url: string): boolean {
  const headers = memberOf(node, 'headers')?.value;
  return (
    isRoutedUrl(url) &&
    stringAt(headers, UPSTREAM_HEADER) !== undefined &&
    stringAt(headers, TOKEN_HEADER) !== undefined
  );
}

function textsAt(node: JsonNode, key: string): readonly string[] | null | undefined {
  const list = memberOf(node, key)?.value;
  if (list === undefined) return undefined;
  if (list.kind !== 'array') return null;
  const texts = list.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
  return texts.length === list.items.length ? texts : null;
}
