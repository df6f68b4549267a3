import type {
  Client,
  ClientFile,
  ClientName,
  EntryScope,
  Reading,
  Routing,
  ServerEntry,
} from '../../client.js';
import { TextProblem } from '../../../text/text-problem.js';
import { UPSTREAM_HEADER } from '../../ours.js';
import type { Kind } from './classify.js';
import { applyEdits, type Edit } from './edit.js';
import { readJson, type Dialect } from './read.js';
import { routeHttp, routeStdio } from './route.js';
import { shapeOf, type Shape } from './shape.js';
import { nodeAt, type JsonNode } from './tree.js';
import { unrouteJson } from './unroute.js';

/** An object of a file whose members are servers. */
export interface ServerList {
  readonly pointer: readonly string[];
  readonly scope: EntryScope;
}

/** The differences between clients whose files are JSON. */
export interface JsonForm {
  readonly client: ClientName;
  readonly dialect: Dialect;
  readonly urlKeys: readonly string[];
  /** Where servers stand in a file. */
  readonly lists: (root: JsonNode, file: ClientFile) => readonly ServerList[];
  readonly kind: (shape: Shape, name: string) => Kind;
  /** How the token of the gateway is written into a header. */
  readonly token: (enrolToken: string) => string;
}

/** The reading and editing half of a client whose files are JSON. */
export function jsonTexts(form: JsonForm): Pick<Client, 'read' | 'route' | 'sources' | 'unroute' | 'masked'> {
  return {
    read: (file, text) => read(form, file, text),
    route: (text, entries, how) => route(form, text, entries, how),
    sources(text) {
      const root = readJson(text, form.dialect);
      return (pointer) => {
        const node = nodeAt(root, pointer);
        return node === undefined ? undefined : text.slice(node.start, node.end);
      };
    },
    unroute: (text, entries) => unrouteJson(text, entries, form.dialect, form.urlKeys),
    masked: (file, text) => masked(form, file, text),
  };
}

function read(form: JsonForm, file: ClientFile, text: string): Reading {
  try {
    const root = readJson(text, form.dialect);
    if (root === undefined) return { file, text, entries: [] };
    if (root.kind !== 'object') throw new TextProblem('the file holds no object', text, root.start);
    const entries = form.lists(root, file).flatMap((list) => {
      const node = nodeAt(root, list.pointer);
      if (node === undefined || isNull(node)) return [];
      if (node.kind !== 'object') throw new TextProblem('the servers are no object', text, node.start);
      return node.members.map((member) => entryOf(form, file, list, member.key, member.value));
    });
    return { file, text, entries };
  } catch (error) {
    if (!(error instanceof TextProblem)) throw error;
    return { file, text, entries: [], problem: error.message };
  }
}

function entryOf(
  form: JsonForm,
  file: ClientFile,
  list: ServerList,
  name: string,
  node: JsonNode,
): ServerEntry {
  const shape = shapeOf(node, form.urlKeys);
  const { command, args, envKeys, tokens, envFile, url, ours } = shape;
  const home = typeof ours === 'object' ? ours.home : undefined;
  return {
    client: form.client,
    file,
    scope: list.scope,
    name,
    pointer: [...list.pointer, name],
    ...form.kind(shape, name),
    envKeys,
    tokens,
    ...(command === undefined ? {} : { command }),
    ...(args ? { args } : {}),
    ...(envFile === undefined ? {} : { envFile }),
    ...(url === undefined ? {} : { url: url.value }),
    ...(home === undefined ? {} : { home }),
  };
}

function route(form: JsonForm, text: string, entries: readonly ServerEntry[], how: Routing): string {
  const root = readJson(text, form.dialect);
  const edits = entries.flatMap((entry): readonly Edit[] => {
    const node = nodeAt(root, entry.pointer);
    if (node === undefined) throw new RangeError('no such entry');
    if (entry.kind === 'stdio') return routeStdio(text, node, entry, how);
    const { url } = shapeOf(node, form.urlKeys);
    if (entry.kind !== 'http' || url === undefined || how.http === undefined) {
      throw new RangeError('this entry cannot be routed');
    }
    const { port, enrolToken } = how.http;
    return routeHttp(text, node, url.key, entry, { port, token: form.token(enrolToken) });
  });
  return applyEdits(text, edits);
}

/** Masks the values of variables and headers, which may be secrets whatever their names. */
function masked(form: JsonForm, file: ClientFile, text: string): string {
  const root = readJson(text, form.dialect);
  const values = read(form, file, text).entries.flatMap(({ pointer }) =>
    ['env', 'headers'].flatMap((key) => {
      const object = nodeAt(root, [...pointer, key]);
      if (object?.kind !== 'object') return [];
      return object.members.filter((one) => one.key !== UPSTREAM_HEADER).map(({ value }) => value);
    }),
  );
  return applyEdits(
    text,
    values
      .filter((node) => node.kind === 'string' && !isOnlyVariable(node.value))
      .map((node) => ({ start: node.start, end: node.end, text: '"[REDACTED]"' })),
  );
}

/** `${NAME}` is no secret, and the reader wants to see that it stays. */
function isOnlyVariable(value: string): boolean {
  return value === '' || /^\$\{[A-Za-z0-9_:]+\}$/.test(value);
}

function isNull(node: JsonNode): boolean {
  return node.kind === 'plain' && node.value === null;
}
