import type { Routing, ServerEntry } from '../client.js';
import { routedUrl, shimArgs, TOKEN_HEADER, UPSTREAM_HEADER } from '../ours.js';
import { withItems } from '../../text/toml/array.js';
import type { TomlChange } from '../../text/toml/change.js';
import { readDocument, valuesIn, type TomlDocument, type Values } from '../../text/toml/document.js';
import { editToml } from '../../text/toml/edit.js';
import { meaningAt } from '../../text/toml/meaning.js';
import { keyText, quoted } from '../../text/toml/spelling.js';

/**
 * Codex gives a server nothing of its environment but HOME, LANG, PATH, TERM and USER: these are what a shim
 * looks for besides (labels of the run that it belongs to).
 */
export const SHIM_VARIABLES = ['SUB_RUN_ID', 'SUB_AGENT_ID', 'SUB_ENV', 'SUB_CLIENT', 'SUB_PRINCIPAL'];

/** The header in which Codex sends the token of a run, and the variable that it takes it from. */
export const RUN_TOKEN_HEADER = 'Subluminal-Run-Token';
const RUN_TOKEN_VARIABLE = 'SUB_HTTP_TOKEN';

/** The text with these entries routed; see `Client.route`. */
export function routeCodex(text: string, entries: readonly ServerEntry[], how: Routing): string {
  const before = readDocument(text);
  const values = valuesIn(before);
  const changes = entries.flatMap((entry) => {
    if (entry.kind === 'stdio') return stdio(values, entry, how);
    if (entry.kind === 'http') return http(before, values, entry, how);
    throw new RangeError('this entry cannot be routed');
  });
  return editToml(text, changes);
}

function stdio(values: Values, entry: ServerEntry, how: Routing): readonly TomlChange[] {
  const at = (key: string): readonly string[] => [...entry.pointer, key];
  const own = values(at('command'));
  if (own === undefined) throw new RangeError('no such entry');
  const args = [...shimArgs(entry, how).map((arg) => quoted(arg)), own];
  const names = SHIM_VARIABLES.filter((name) => !entry.envKeys.includes(name)).map((name) => quoted(name));
  return [
    { path: at('command'), source: quoted(how.node) },
    {
      path: at('args'),
      source: withItems(values(at('args')) ?? '[]', args, 'first'),
      after: at('command'),
    },
    ...(names.length === 0
      ? []
      : [
          {
            path: at('env_vars'),
            source: withItems(values(at('env_vars')) ?? '[]', names, 'last'),
            after: at('args'),
          },
        ]),
  ];
}

function http(
  { meaning }: TomlDocument,
  values: Values,
  entry: ServerEntry,
  { http: gateway }: Routing,
): readonly TomlChange[] {
  const at = (...keys: readonly string[]): readonly string[] => [...entry.pointer, ...keys];
  const own = values(at('url'));
  if (gateway === undefined || own === undefined) throw new RangeError('this entry cannot be routed');
  const headers = (key: string, pairs: readonly (readonly [string, string])[]): readonly TomlChange[] => {
    if (meaningAt(meaning, at(key)) !== undefined)
      return pairs.map(([name, source]) => ({ path: at(key, name), source }));
    const inside = pairs.map(([name, source]) => `${keyText(name)} = ${source}`).join(', ');
    return [{ path: at(key), source: `{ ${inside} }`, after: at('url') }];
  };
  return [
    { path: at('url'), source: quoted(routedUrl(gateway.port, entry.name)) },
    ...headers('env_http_headers', [[RUN_TOKEN_HEADER, quoted(RUN_TOKEN_VARIABLE)]]),
    ...headers('http_headers', [
      [UPSTREAM_HEADER, own],
      [TOKEN_HEADER, quoted(gateway.enrolToken)],
    ]),
  ];
}
