import type { Client, EntryScope, Reading, Routing, ServerEntry, Where } from '../client.js';
import { isOutdated, oddStart, unwritable } from '../ours.js';
import { variablesOf } from '../place/variables.js';

/** The plan for one entry. */
export interface Planned {
  readonly entry: ServerEntry;
  readonly becomes: 'routed' | 'already' | 'left';
  /** Why it is left as it is, or routed anew. */
  readonly why?: string;
}

/** Which entries are asked for; all of a scope where no names are given. */
export interface Selection {
  readonly scopes: ReadonlySet<EntryScope>;
  readonly servers: readonly string[];
}

/** Everything that decides what becomes of the entries of a file. */
export interface Planning {
  readonly client: Client;
  readonly where: Where;
  readonly how: Routing;
  readonly selection: Selection;
  /** Why remote servers cannot be routed, where `how.http` is absent. */
  readonly noRemote?: string;
  /** The reasons of other files of the client against it. */
  readonly forbids: (entry: ServerEntry) => string | undefined;
}

const SHARED = 'its file is shared, and the token of your gateway would stand in it';
const NO_PEER = 'on this system the gateway cannot tell which process a connection over HTTP belongs to';
const NO_REMOTE = 'the gateway does not listen for remote servers';

/** Plans every entry of a file that is asked for. Changes nothing. */
export function planEntries(reading: Reading, planning: Planning): readonly Planned[] {
  const { scopes, servers } = planning.selection;
  return reading.entries
    .filter(({ scope, name }) => scopes.has(scope) && (servers.length === 0 || servers.includes(name)))
    .map((entry): Planned => {
      if (entry.kind === 'ours') return already(entry, planning.how);
      const why = obstacle(entry, planning);
      return why === undefined ? { entry, becomes: 'routed' } : { entry, becomes: 'left', why };
    });
}

function already(entry: ServerEntry, how: Routing): Planned {
  const odd = entry.command === undefined ? undefined : oddStart(entry);
  if (odd !== undefined)
    return { entry, becomes: 'left', why: `it only looks like one that is routed: ${odd}` };
  if (isOutdated(entry, how)) return { entry, becomes: 'routed', why: 'it named another `node` or `sub`' };
  return entry.home === undefined || entry.home === how.home
    ? { entry, becomes: 'already' }
    : { entry, becomes: 'left', why: `it is routed through another home, \`${entry.home}\`` };
}

function obstacle(entry: ServerEntry, planning: Planning): string | undefined {
  const { forbids, how, where } = planning;
  if (entry.cannot !== undefined) return entry.cannot;
  const forbidden = forbids(entry) ?? unwritable(entry, how);
  if (forbidden !== undefined) return forbidden;
  if (entry.kind === 'http' && entry.file.scope === 'project') return SHARED;
  if (entry.kind === 'http' && where.platform !== 'linux') return NO_PEER;
  if (entry.kind === 'http') return how.http === undefined ? (planning.noRemote ?? NO_REMOTE) : undefined;
  if (entry.kind !== 'stdio') return 'its form is not one that can be routed';
  const variables = variablesOf(entry, where);
  if ('cannot' in variables) return variables.cannot;
  return where.platform === 'win32' ? noProgram(entry.command ?? '') : undefined;
}

/** On Windows only a program (`.exe`) can be started without the shell that the client has. */
function noProgram(command: string): string | undefined {
  const isProgram = /\.exe$/i.test(command) || /^(?:cmd|node)$/i.test(command);
  if (isProgram) return undefined;
  return `\`${command}\` is no program that Windows starts without a shell; \`cmd\` with \`/c\` and its name is`;
}
