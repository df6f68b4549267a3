import { posix, win32 } from 'node:path';
import { whyOf } from '../../output/system-error.js';
import type { Client, ClientFile, ClientName, EntryScope, Reading, ServerEntry, Where } from '../client.js';
import type { EntryRecord, FileRecord } from '../file/journal.js';
import { loadingVariable, oddStart, readOurs } from '../ours.js';
import { secretNamed, tokenLine } from '../tokens.js';
import { unrouteOne } from '../file/one-entry.js';
import { TextProblem } from '../../text/text-problem.js';

/** The reason of what could be routed, as far as is known. */
export const NOT_IMPORTED = 'it is not imported';

/** How the reason of one begins that is routed to another gateway. */
export const OTHER_HOME = 'it passes through another home';

/** One server of one client, and whether what it does passes through the gateway of this home. */
export interface Covered {
  readonly client: ClientName;
  /** Empty where no file of the user's names it. */
  readonly file: string;
  readonly server: string;
  readonly scope: EntryScope | 'other';
  readonly through: boolean;
  /** Why it does not; of one that does, what is odd about it. */
  readonly reason?: string;
  /** It is routed, and cannot start that way. */
  readonly broken?: true;
}

/** The servers that one client starts. */
export interface ClientCoverage {
  readonly client: Client;
  readonly servers: readonly Covered[];
  /** Files that cannot be read, each with why. */
  readonly problems: readonly string[];
  /** The servers with a secret in a file, each with how it gets out of there. */
  readonly tokens: readonly string[];
  /** The names of variables whose values stand there, and those that their secrets would get. */
  readonly tokenNames: readonly string[];
}

/** The facts that coverage is judged by, besides the files of clients. */
export interface Facts {
  readonly where: Where;
  /** The home that is asked about, and the one that a shim without `--home` takes. */
  readonly home: string;
  readonly defaultHome: string;
  /** Whether there is a file. */
  readonly exists: (path: string) => boolean;
  /** The record of an import. */
  readonly recorded: (client: ClientName) => readonly FileRecord[];
  /**
   * The port of the gateway's HTTP side, null where it does not listen; undefined where that is not known.
   */
  readonly httpPort: number | null | undefined;
}

/** The servers that a client starts. Undefined where no file of it is on this machine. Changes nothing. */
export function coverageOf(client: Client, facts: Facts): ClientCoverage | undefined {
  const { where } = facts;
  const recorded = facts.recorded(client.name);
  const readings = filesOf(client, where, recorded).map((file) => readingOf(client, file, where));
  const found = readings.filter((reading) => reading.text !== undefined || reading.problem !== undefined);
  if (found.length === 0) return undefined;
  const forbids = client.forbids(where, found);
  const judge = (entry: ServerEntry, text: string): Covered => ({
    client: client.name,
    file: entry.file.path,
    server: entry.name,
    scope: entry.scope,
    ...(entry.kind === 'ours'
      ? judgeRouted(client, entry, text, facts, recorded, forbids)
      : judgeOther(entry, recorded, forbids)),
  });
  return {
    client,
    servers: [
      ...found.flatMap(({ entries, text = '' }) => entries.map((entry) => judge(entry, text))),
      ...client.unroutable(where).map(({ name, reason }) => {
        return {
          client: client.name,
          file: '',
          server: name,
          scope: 'other',
          through: false,
          reason,
        } as const;
      }),
    ],
    tokens: found.flatMap(({ entries }) => entries.flatMap((entry) => tokenLine(entry) ?? [])),
    tokenNames: found
      .flatMap(({ entries }) => entries.flatMap(({ tokens }) => tokens))
      .flatMap((name) => [name, secretNamed(name)]),
    problems: found.flatMap(({ file, problem }) =>
      problem === undefined ? [] : [`\`${file.path}\` cannot be read: ${problem}`],
    ),
  };
}

type Judgement = Pick<Covered, 'through' | 'reason' | 'broken'>;
type Forbids = (entry: ServerEntry) => string | undefined;

/** The files of a client, and those of other projects that were imported. */
function filesOf(client: Client, where: Where, recorded: readonly FileRecord[]): readonly ClientFile[] {
  const files = client.files(where);
  const others = recorded.filter(({ path }) => !files.some((file) => file.path === path));
  return [...files, ...others.map(({ path, scope }) => ({ path, scope }))];
}

function readingOf(client: Client, file: ClientFile, where: Where): Reading {
  try {
    const text = where.readText(file.path);
    return text === undefined ? { file, text, entries: [] } : client.read(file, text);
  } catch (error) {
    return { file, text: undefined, entries: [], problem: whyOf(error) };
  }
}

function judgeRouted(
  client: Client,
  entry: ServerEntry,
  text: string,
  facts: Facts,
  recorded: readonly FileRecord[],
  forbids: Forbids,
): Judgement {
  const isStdio = entry.command !== undefined;
  if (isStdio && (entry.home ?? facts.defaultHome) !== facts.home) {
    return no(`${OTHER_HOME}, \`${entry.home ?? facts.defaultHome}\``);
  }
  const odd = isStdio ? oddStart(entry) : undefined;
  if (odd !== undefined) return no(odd);
  const record = recordOf(entry, recorded);
  const broken = isStdio ? missingProgram(entry, facts) : wrongPort(entry, facts);
  // An address does not tell of which home it is: one that this home did not write may be another's.
  const isOurs = isStdio || record !== undefined;
  if (broken !== undefined) return isOurs ? { ...no(broken), broken: true } : no(broken);
  // A list of the exact commands that may start is about what stands there now.
  const forbidden = forbids({ ...entry, kind: isStdio ? 'stdio' : 'http' });
  if (forbidden !== undefined) return no(forbidden);
  if (record !== undefined && isChanged(client, entry, text, record))
    return { through: true, reason: 'it was changed since it was imported' };
  const loading = loadingVariable(entry);
  return loading === undefined
    ? { through: true }
    : {
        through: true,
        reason: `\`${loading}\` of its entry acts on the shim too, and can load code into it`,
      };
}

function judgeOther(entry: ServerEntry, recorded: readonly FileRecord[], forbids: Forbids): Judgement {
  if (recordOf(entry, recorded) !== undefined)
    return no('it was imported, and names its server itself again');
  return no(entry.cannot ?? forbids(entry) ?? NOT_IMPORTED);
}

function no(reason: string): Judgement {
  return { through: false, reason };
}

/** A node or a `sub` that the entry names by its path, and that is not there any more: nothing starts. */
function missingProgram({ command, args }: ServerEntry, { exists }: Facts): string | undefined {
  if (command === undefined || args === undefined) return undefined;
  const ours = readOurs(command, args);
  const shim = args.indexOf('shim');
  const missing = [command, ...args.slice(0, shim)]
    .filter((one) => ours !== undefined && (posix.isAbsolute(one) || win32.isAbsolute(one)))
    .find((one) => !exists(one));
  return missing === undefined ? undefined : `\`${missing}\` is not there, so that it does not start`;
}

function wrongPort({ url }: ServerEntry, { httpPort }: Facts): string | undefined {
  if (url === undefined || httpPort === undefined) return undefined;
  if (httpPort === null) return 'the gateway of this home does not listen for remote servers';
  const port = Number(new URL(url).port);
  return port === httpPort
    ? undefined
    : `it names port ${port}, and the gateway of this home has ${httpPort}`;
}

function recordOf({ file, pointer }: ServerEntry, recorded: readonly FileRecord[]): EntryRecord | undefined {
  const place = JSON.stringify(pointer);
  return recorded
    .find(({ path }) => path === file.path)
    ?.entries.find((record) => JSON.stringify(record.pointer) === place);
}

function isChanged(client: Client, entry: ServerEntry, text: string, record: EntryRecord): boolean {
  try {
    const back = unrouteOne(client, text, entry.pointer, record);
    return !('how' in back) || back.how !== 'exact';
  } catch (error) {
    if (error instanceof TextProblem) return true;
    throw error;
  }
}
