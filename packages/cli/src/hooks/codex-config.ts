import { CODEX_INPUTS } from '@subluminal/hooks';
import type { Where } from '../clients/client.js';
import type { TomlChange } from '../clients/text/toml/change.js';
import { readDocument } from '../clients/text/toml/document.js';
import { editToml } from '../clients/text/toml/edit.js';
import { namesOf, type Section } from '../clients/text/toml/syntax.js';
import { TextProblem } from '../clients/text/text-problem.js';
import { CONTROL_SERVER, trustHash, trustKey } from './codex-trust.js';
import type { HookFile, HookSetup } from './hook-client.js';
import { handlersIn } from './json-groups.js';

/** How long Codex waits for the control server when it starts, in seconds. */
const STARTUP_S = 10;

/**
 * `config.toml` of Codex: the control server, and that a person has agreed to its hooks. Both are tables of
 * their own at the end of the file. `hooksPath` is the file of hooks, which has to be written before.
 */
export function codexConfig(path: string, hooksPath: string, where: Where): HookFile {
  return {
    path,
    installed: (text, setup) => {
      const bare = withoutOurs(text, hooksPath);
      const added = blockOf(setup, hooksPath, where.readText(hooksPath) ?? '{}');
      const joined = `${bare}${bare === '' || bare.endsWith('\n') ? '' : '\n'}${bare === '' ? '' : '\n'}${added}`;
      // What it means is told by the reader: a table that stands inline above cannot be added to.
      readDocument(joined);
      return joined;
    },
    removed: (text) => withoutOurs(text, hooksPath),
    hasOurs: (text) => oursIn(text, hooksPath).length > 0,
  };
}

function blockOf({ node, program, home }: HookSetup, hooksPath: string, hooks: string): string {
  const args = [program, 'hooks', 'serve', 'codex', '--home', home].map((word) => JSON.stringify(word));
  const server = [
    `[mcp_servers.${CONTROL_SERVER}]`,
    `command = ${JSON.stringify(node)}`,
    `args = [${args.join(', ')}]`,
    `startup_timeout_sec = ${STARTUP_S}`,
  ];
  const trusted = handlersIn(hooks)
    .filter(({ handler }) => handler['type'] === 'mcp_tool' && handler['server'] === CONTROL_SERVER)
    .map(({ event, group, index }) => [
      `[hooks.state.${JSON.stringify(trustKey(hooksPath, event, group, index))}]`,
      `trusted_hash = ${JSON.stringify(trustHash(event))}`,
    ]);
  return `${[server, ...trusted].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The tables of ours: their paths, and those of their pairs. */
function oursIn(text: string, hooksPath: string): readonly (readonly TomlChange[])[] {
  return readDocument(text).sections.flatMap(({ header, pairs, path }) => {
    const [first, second, key = ''] = path;
    const isServer = first === 'mcp_servers' && second === CONTROL_SERVER;
    const isTrust = first === 'hooks' && second === 'state' && key.startsWith(`${hooksPath}:`);
    if (header === undefined || !(isServer || (isTrust && isOfOurs(text, pairs)))) return [];
    const inside = pairs.map((pair) => ({ path: [...path, ...namesOf(pair.key)], source: undefined }));
    return [[...inside, { path, source: undefined }]];
  });
}

/** Trust that a person gave to hooks of their own in the same file stays. */
function isOfOurs(text: string, pairs: Section['pairs']): boolean {
  const source = pairs.map(({ range: [start, end] }) => text.slice(start, end)).join('\n');
  return [...CODEX_INPUTS.keys()].some((event) => source.includes(trustHash(event)));
}

function withoutOurs(text: string, hooksPath: string): string {
  let now = text;
  for (let ours = oursIn(now, hooksPath); ours.length > 0; ours = oursIn(now, hooksPath)) {
    const [first = []] = ours;
    const next = editToml(now, first);
    if (next === now) throw new TextProblem('a table of ours cannot be taken out', now, 0);
    now = next;
  }
  return now;
}
