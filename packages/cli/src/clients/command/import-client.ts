import { isSublError, SublError } from '@subluminal/core-types';
import type { Client, ClientFile, EntryScope, HttpRouting, Reading, Routing, Where } from '../client.js';
import type { Hands } from '../file/change.js';
import { readState } from '../file/file-state.js';
import { importFile, routed, type Imported } from '../file/import-file.js';
import type { Journal } from '../file/journal.js';
import { planEntries, type Planned } from '../file/plan.js';
import { shownDiff } from '../text/show-diff.js';
import { variablesOf } from '../place/variables.js';
import { wouldAllow, type NoDoor, type RemoteDoor } from './http-routing.js';
import { routedUrl } from '../ours.js';
import { attempt } from '../../program/attempt.js';

/** The question of `sub import`. */
export interface Asked {
  readonly scopes: ReadonlySet<EntryScope>;
  readonly servers: readonly string[];
  readonly isDry: boolean;
}

/** The outcome of one file. */
export interface FileOutcome {
  readonly file: ClientFile;
  readonly planned: readonly Planned[];
  readonly isChanged: boolean;
  readonly diff: readonly string[];
  /** Why it was not touched. */
  readonly problem?: SublError;
  /** Hosts that were let in, and what is missing for servers. */
  readonly remarks: readonly string[];
}

export interface ClientImport {
  readonly client: Client;
  readonly where: Where;
  readonly asked: Asked;
  readonly base: Pick<Routing, 'node' | 'program' | 'home'>;
  readonly journal: Journal;
  readonly hands: Hands;
  readonly remote: RemoteDoor;
}

/** Shown where nothing is started to find the real one out. */
const NO_DOOR: HttpRouting = { port: 0, enrolToken: 'TOKEN' };

/** A remote server that comes into the file after it was looked at. */
const MEANWHILE: NoDoor = { cannot: 'it came while the others were routed: import again' };

/**
 * Imports the files of one client, each by itself: one that cannot be read or written keeps none of the
 * others back.
 */
export async function importClient(importing: ClientImport): Promise<readonly FileOutcome[]> {
  const { client, where, asked } = importing;
  const files = client.files(where).filter(({ scope }) => scope !== 'project' || asked.scopes.has('project'));
  const readings = files.flatMap((file) => readingOf(client, file) ?? []);
  const forbids = client.forbids(where, readings);
  const outcomes: FileOutcome[] = [];
  for (const file of files) {
    try {
      const outcome = await one(importing, file, forbids);
      if (outcome !== undefined) outcomes.push(outcome);
    } catch (error) {
      if (!isSublError(error)) throw error;
      outcomes.push({ file, planned: [], isChanged: false, diff: [], problem: error, remarks: [] });
    }
  }
  return outcomes;
}

async function one(
  importing: ClientImport,
  file: ClientFile,
  forbids: ReturnType<Client['forbids']>,
): Promise<FileOutcome | undefined> {
  const { client, where, asked, base, journal, hands, remote } = importing;
  const state = readState(file.path);
  if (state === undefined) return undefined;
  const wanting = (
    http: HttpRouting | NoDoor,
  ): Pick<Parameters<typeof routed>[0], 'client' | 'file' | 'how' | 'plan'> => {
    const how: Routing = {
      ...base,
      pass: (entry) => {
        const variables = variablesOf(entry, where);
        return 'names' in variables ? variables.names : [];
      },
      ...('cannot' in http ? {} : { http }),
    };
    const noRemote = 'cannot' in http ? http.cannot : '';
    const planning = { client, where, how, selection: asked, forbids, noRemote };
    return { client, file, how, plan: (reading: Reading) => planEntries(reading, planning) };
  };
  const preview = routed(wanting(NO_DOOR), state);
  const hasRemote = preview.entries.some(({ kind }) => kind === 'http');
  const door = hasRemote && !asked.isDry ? await remote.open() : MEANWHILE;
  const work = wanting(asked.isDry ? NO_DOOR : door);
  const done: Imported | undefined = asked.isDry
    ? routed(work, state).result
    : await importFile({ ...work, journal, hands });
  if (done === undefined) return undefined;
  return {
    file,
    planned: done.planned,
    isChanged: done.before !== done.after,
    diff: asked.isDry ? shownDiff(client, file, done.before, done.after).map(withoutPort) : [],
    remarks: await allowRemote(done.planned, asked.isDry, remote),
  };
}

/** The port is known when the gateway listens. */
function withoutPort(line: string): string {
  return line.replaceAll(routedUrl(0, ''), 'http://127.0.0.1:PORT/mcp/');
}

async function allowRemote(
  planned: readonly Planned[],
  isDry: boolean,
  remote: RemoteDoor,
): Promise<readonly string[]> {
  const remarks: string[] = [];
  for (const { entry, becomes } of planned) {
    if (becomes !== 'routed' || entry.kind !== 'http') continue;
    const allowed = isDry ? wouldAllow(entry) : await remote.allow(entry);
    const comes = isDry ? 'would come onto the allowlist' : 'is on the allowlist now';
    remarks.push(
      'host' in allowed
        ? `\`${allowed.host}\` ${comes}, for \`${entry.name}\``
        : `\`${entry.name}\`: ${allowed.missing}`,
    );
  }
  return remarks;
}

/** Reads a file as far as it can be read: the rest is told of when its turn comes. */
function readingOf(client: Client, file: ClientFile): Reading | undefined {
  return attempt(() => {
    const state = readState(file.path);
    return state === undefined ? undefined : client.read(file, state.text);
  });
}
