import type { Routing, ServerEntry } from '../../client.js';
import { routedUrl, shimArgs, TOKEN_HEADER, UPSTREAM_HEADER } from '../../ours.js';
import { insertAfter, insertFirst, insertFirstMember, replaceValue, type Edit } from './edit.js';
import { memberOf, type JsonNode, type ObjectNode } from './tree.js';

/** The edits that route a server: its command and arguments stay, behind ours, in the very same spelling. */
export function routeStdio(text: string, node: JsonNode, entry: ServerEntry, how: Routing): readonly Edit[] {
  const command = memberOf(node, 'command');
  if (command === undefined) throw new RangeError('no command');
  const source = text.slice(command.value.start, command.value.end);
  const values = [...shimArgs(entry, how).map((arg) => JSON.stringify(arg)), source];
  const args = memberOf(node, 'args');
  return [
    replaceValue(command.value, JSON.stringify(how.node)),
    args === undefined
      ? insertAfter(text, command, 'args', `[${values.join(', ')}]`)
      : insertFirst(text, args.value, values),
  ];
}

/** The same of a remote server: the gateway's address, and in headers the server's own and who asks. */
export function routeHttp(
  text: string,
  node: JsonNode,
  urlKey: string,
  entry: ServerEntry,
  http: { readonly port: number; readonly token: string },
): readonly Edit[] {
  const url = memberOf(node, urlKey);
  if (url === undefined) throw new RangeError('no address');
  const upstream = text.slice(url.value.start, url.value.end);
  const address = replaceValue(url.value, JSON.stringify(routedUrl(http.port, entry.name)));
  const headers = memberOf(node, 'headers');
  const token = JSON.stringify(http.token);
  if (headers === undefined) {
    const added = `{${JSON.stringify(UPSTREAM_HEADER)}: ${upstream}, ${JSON.stringify(TOKEN_HEADER)}: ${token}}`;
    return [address, insertAfter(text, url, 'headers', added)];
  }
  const object = headers.value as ObjectNode;
  const second = insertFirstMember(text, object, TOKEN_HEADER, token);
  const first =
    object.members.length > 0
      ? insertFirstMember(text, object, UPSTREAM_HEADER, upstream)
      : { ...second, text: `${JSON.stringify(UPSTREAM_HEADER)}: ${upstream}, ` };
  return [address, { ...second, text: first.text + second.text }];
}
