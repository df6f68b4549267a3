import type { Client, ClientFile, ServerEntry, Where } from '../../clients/client.js';
import { readState } from '../../clients/file/file-state.js';
import { readJson, JSONC } from '../../clients/text/json/read.js';
import { memberOf } from '../../clients/text/json/tree.js';
import { readDocument } from '../../text/toml/document.js';
import { meaningAt } from '../../text/toml/meaning.js';

/** How a client starts one of its servers. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /**
   * The folder that it starts in: the home, or the project that the user has named it for. Never the folder
   * that `sub init` is called in: `npx` and others run what lies there.
   */
  readonly cwd: string;
}

/** A routed server, and how it is started, or why only its client can start it. */
export interface Startable {
  readonly client: Client;
  readonly server: string;
  readonly launch: Launch | { readonly cannot: string };
}

/** The routed servers of a file as it is now. Throws `failed` and `TextProblem`: it cannot be read. */
export function startable(client: Client, file: ClientFile, where: Where): readonly Startable[] {
  const text = readState(file.path)?.text;
  if (text === undefined) return [];
  const sources = client.sources(text);
  return client
    .read(file, text)
    .entries.filter(({ kind }) => kind === 'ours')
    .map((entry) => ({
      client,
      server: entry.name,
      launch: launchOf(entry, variablesOf(client, text, sources(entry.pointer), entry.pointer), where),
    }));
}

function launchOf(
  { client, command, args = [], envFile, scope, pointer }: ServerEntry,
  given: Readonly<Record<string, string>>,
  where: Where,
): Startable['launch'] {
  if (command === undefined) return { cannot: 'it is reached over HTTP, by the client alone' };
  if (envFile !== undefined) return { cannot: `its variables are in \`${envFile}\`, which the client reads` };
  const expand = client === 'claude' ? (text: string) => expanded(text, where.env) : same;
  const words = [command, ...args].map(expand);
  const env = Object.entries(given).map(([name, value]) => [name, expand(value)] as const);
  const open = [...words, ...env.map(([, value]) => value)].find((text) => text.includes('${'));
  if (open !== undefined) return { cannot: 'the client puts values in the place of `${…}`' };
  const [program = command, ...rest] = words;
  const [, project = where.userHome] = scope === 'local' ? pointer : [];
  return { command: program, args: rest, env: Object.fromEntries(env), cwd: project };
}

/** As Claude Code does: `${NAME}`, and `${NAME:-value}` if the variable is not set. */
function expanded(text: string, env: Where['env']): string {
  return text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]{0,255})(?::-([^}]{0,4096}))?\}/g,
    (whole, name: string, otherwise: string | undefined) => env[name] ?? otherwise ?? whole,
  );
}

function same(text: string): string {
  return text;
}

/** The values of an entry's own variables. They go to the server that is started, and nowhere else. */
function variablesOf(
  client: Client,
  text: string,
  source: string | undefined,
  pointer: readonly string[],
): Readonly<Record<string, string>> {
  if (client.name === 'codex') {
    const env = meaningAt(readDocument(text).meaning, [...pointer, 'env']);
    const pairs = env instanceof Map ? [...env.entries()] : [];
    return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
  }
  const env = memberOf(source === undefined ? undefined : readJson(source, JSONC), 'env')?.value;
  const members = env?.kind === 'object' ? env.members : [];
  return Object.fromEntries(
    members.flatMap(({ key, value }) => (value.kind === 'string' ? [[key, value.value] as const] : [])),
  );
}
