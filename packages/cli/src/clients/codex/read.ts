import type { ClientFile, Reading, ServerEntry } from '../client.js';
import { TextProblem } from '../../text/text-problem.js';
import { readDocument, type TomlDocument } from '../../text/toml/document.js';
import type { Meaning } from '../../text/toml/meaning.js';
import { placesOf } from '../../text/toml/places.js';
import { isControlServer, kindOf, shapeOf } from './shape.js';

/** The table of a Codex file that holds the servers. */
export const SERVERS = 'mcp_servers';

/** Reads a file of Codex; see `Client.read`. */
export function readCodex(file: ClientFile, text: string): Reading {
  try {
    return { file, text, entries: entriesOf(file, readDocument(text)) };
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    return { file, text, entries: [], problem: error.message };
  }
}

function entriesOf(file: ClientFile, document: TomlDocument): readonly ServerEntry[] {
  const servers = document.meaning.get(SERVERS);
  if (servers === undefined) return [];
  if (!(servers instanceof Map)) {
    throw new TextProblem(`\`${SERVERS}\` is no table`, document.text, startOf(document));
  }
  return [...servers].flatMap(([name, value]: [string, Meaning]) =>
    value instanceof Map && isControlServer(shapeOf(value)) ? [] : [entryOf(file, name, value)],
  );
}

function entryOf(file: ClientFile, name: string, value: Meaning): ServerEntry {
  const entry = { client: 'codex', file, scope: file.scope, name, pointer: [SERVERS, name] } as const;
  if (!(value instanceof Map))
    return { ...entry, kind: 'unknown', envKeys: [], tokens: [], cannot: 'it is no table' };
  const shape = shapeOf(value);
  const { command, args, envKeys, tokens, url, ours } = shape;
  const home = typeof ours === 'object' ? ours.home : undefined;
  return {
    ...entry,
    ...kindOf(shape),
    envKeys,
    tokens,
    ...(command === undefined ? {} : { command }),
    ...(args ? { args } : {}),
    ...(url === undefined ? {} : { url }),
    ...(home === undefined ? {} : { home }),
  };
}

function startOf({ sections }: TomlDocument): number {
  const [pair] = placesOf(sections).filter(({ path }) => path[0] === SERVERS);
  const header = sections.find(({ path }) => path[0] === SERVERS)?.header;
  return (pair?.pair ?? header)?.range[0] ?? 0;
}
