import { isControlServer, shapeOf } from '../../clients/codex/shape.js';
import type { Where } from '../../clients/client.js';
import { readDocument } from '../../text/toml/document.js';
import { sameMeaning, type Table } from '../../text/toml/meaning.js';
import type { Section } from '../../text/toml/syntax.js';
import { TextProblem } from '../../text/text-problem.js';
import { guardIn, isOurs } from './codex-guard.js';
import { CODEX_INPUTS } from '@subluminal/hooks';
import { codexHandler, CONTROL_SERVER, trustHash, trustKey } from './codex-trust.js';
import type { HookFile, HookSetup } from '../hook-client.js';
import { handlersIn } from '../json-groups.js';

/** How long Codex waits for the control server when it starts, in seconds. */
const STARTUP_S = 10;

/**
 * `config.toml` of Codex: the control server, and that a person has agreed to its hooks. Both are tables of
 * their own at the end of the file. `hooksPath` is the file of hooks, which has to be written before.
 */
export function codexConfig(path: string, hooksPath: string, where: Where): HookFile {
  const trustedNow = (): readonly Trusted[] => trustedIn(where.readText(hooksPath) ?? '{}', hooksPath);
  return {
    path,
    installed: (text, setup) => {
      const hooks = where.readText(hooksPath) ?? '{}';
      const trusted = trustedIn(hooks, hooksPath);
      const bare = withoutOurs(text, trusted, hooksPath, new Set(trusted.map(({ key }) => key)));
      const { blockedWhenAway } = guardIn(handlersIn(hooks));
      const added = blockOf({ ...setup, blockedWhenAway }, trusted);
      const joined = `${bare}${bare === '' || bare.endsWith('\n') ? '' : '\n'}${bare === '' ? '' : '\n'}${added}`;
      // The reader refuses a table that stands inline above, and cannot be added to.
      readDocument(joined);
      return joined;
    },
    removed: (text) => withoutOurs(text, trustedNow(), hooksPath),
    contents: (text) => ({
      ours: oursIn(text, trustedNow(), hooksPath, new Set()).map(({ path: [first, name = ''] }) =>
        first === 'mcp_servers' ? `server ${name}` : 'agreement to a handler',
      ),
      others: [],
      blockedWhenAway: [],
      starts: startsIn(text),
    }),
    isWhole: (text) => {
      const { meaning } = readDocument(text);
      const server = tableAt(meaning, 'mcp_servers', CONTROL_SERVER);
      const hooks = where.readText(hooksPath) ?? '{}';
      const { args } = shapeOf(server ?? new Map());
      return (
        server !== undefined &&
        isControl(server) &&
        guardIn(handlersIn(hooks)).blockedWhenAway.every((tool) => args?.includes(tool) === true) &&
        NARROWS.every((name) => !server.has(name)) &&
        trustedIn(hooks, hooksPath).every(({ hash, key }) => {
          const state = tableAt(meaning, 'hooks', 'state', key);
          return state?.get('trusted_hash') === hash && !state.has('enabled');
        })
      );
    },
  };
}

/** The hashes of the handlers that ask, also where the file of hooks is gone. */
const ASKING = [...CODEX_INPUTS.keys()].map((event) => trustHash(event, codexHandler(event), undefined));

/** Settings of a server that keep it, or its one tool, from being there. */
const NARROWS = ['enabled', 'enabled_tools', 'disabled_tools'];

/** The programs by which Codex starts the control server: those that stand before its verb. */
function startsIn(text: string): readonly string[] {
  const server = tableAt(readDocument(text).meaning, 'mcp_servers', CONTROL_SERVER);
  if (server === undefined || !isControl(server)) return [];
  const { command = '', args } = shapeOf(server);
  return [command, ...(args ?? []).slice(0, args?.indexOf('hooks'))];
}

/** The table at a path; undefined where there is none. */
export function tableAt(table: Table, ...path: readonly string[]): Table | undefined {
  let now: Table | undefined = table;
  for (const name of path) {
    const inside: unknown = now?.get(name);
    now = inside instanceof Map ? inside : undefined;
  }
  return now;
}

/** The handlers of ours in a file of hooks, as Codex keeps that a person has agreed to them. */
function trustedIn(hooks: string, hooksPath: string): readonly Trusted[] {
  return handlersIn(hooks)
    .filter(({ handler }) => isOurs(handler))
    .map(({ event, group, handler, index, matcher }) => ({
      hash: trustHash(event, handler, matcher),
      key: trustKey(hooksPath, event, group, index),
    }));
}

interface Trusted {
  readonly key: string;
  readonly hash: string;
}

function blockOf({ node, program, home, blockedWhenAway }: HookSetup, trusted: readonly Trusted[]): string {
  const blocked = blockedWhenAway.flatMap((tool) => ['--block-when-away', tool]);
  const words = [
    ...(program === undefined ? [] : [program]),
    'hooks',
    'serve',
    'codex',
    ...blocked,
    '--home',
    home,
  ];
  const args = words.map((word) => JSON.stringify(word));
  const server = [
    `[mcp_servers.${CONTROL_SERVER}]`,
    `command = ${JSON.stringify(node)}`,
    `args = [${args.join(', ')}]`,
    `startup_timeout_sec = ${STARTUP_S}`,
  ];
  const tables = trusted.map(({ hash, key }) => [
    `[hooks.state.${JSON.stringify(key)}]`,
    `trusted_hash = ${JSON.stringify(hash)}`,
  ]);
  return `${[server, ...tables].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/**
 * The tables of ours, in their order, and those that stand where ours are to: trust of a handler that is
 * gone.
 */
function oursIn(
  text: string,
  trusted: readonly Trusted[],
  hooksPath: string,
  inTheWay: ReadonlySet<string>,
): readonly Section[] {
  const { meaning, sections } = readDocument(text);
  const isServerOurs = isControl(tableAt(meaning, 'mcp_servers', CONTROL_SERVER));
  return sections.filter(({ header, pairs, path }) => {
    const [first, second, key = ''] = path;
    if (header === undefined) return false;
    if (first === 'mcp_servers' && second === CONTROL_SERVER) return isServerOurs;
    if (first !== 'hooks' || second !== 'state') return false;
    return inTheWay.has(key) || (key.startsWith(`${hooksPath}:`) && isOfOurs(text, trusted, pairs));
  });
}

/** Whether a server is the one that answers the hooks; a person may have given the name to another. */
function isControl(server: Table | undefined): boolean {
  return server !== undefined && isControlServer(shapeOf(server));
}

/** Trust that a person gave to hooks of their own in the same file stays. */
function isOfOurs(text: string, trusted: readonly Trusted[], pairs: Section['pairs']): boolean {
  const source = pairs.map(({ range: [start, end] }) => text.slice(start, end)).join('\n');
  return trusted.some(({ hash }) => source.includes(hash)) || ASKING.some((hash) => source.includes(hash));
}

/**
 * The text without the lines of our tables and the blank lines before them; comments of others stay. Throws
 * `TextProblem`.
 */
function withoutOurs(
  text: string,
  trusted: readonly Trusted[],
  hooksPath: string,
  inTheWay: ReadonlySet<string> = new Set(),
): string {
  const ours = oursIn(text, trusted, hooksPath, inTheWay);
  if (ours.length === 0) return text;
  let now = text;
  for (const { header, pairs } of ours.toReversed()) {
    if (header === undefined) continue;
    const start = text.lastIndexOf('\n', header.key.range[0]) + 1;
    const last = pairs.at(-1)?.range[1] ?? header.key.range[1];
    const end = text.indexOf('\n', last);
    const before = now.slice(0, start).replace(/(?:\r?\n)+$/, '\n');
    now = (before === '\n' ? '' : before) + (end === -1 ? '' : now.slice(end + 1));
  }
  const wanted = ours.reduce((meaning, { path }) => without(meaning, path), readDocument(text).meaning);
  if (!sameMeaning(wanted, readDocument(now).meaning))
    throw new TextProblem('our tables cannot be taken out without changing something else', text, 0);
  return now;
}

/** A table without what stands at the path, and without the tables that this empties. */
function without(table: Table, [name = '', ...rest]: readonly string[]): Table {
  const copy = new Map(table);
  const inside = copy.get(name);
  const left = rest.length > 0 && inside instanceof Map ? without(inside, rest) : undefined;
  if (left === undefined || left.size === 0) copy.delete(name);
  else copy.set(name, left);
  return copy;
}
