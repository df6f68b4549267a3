import { sha256Hex, SublError } from '@subluminal/core-types';
import { baseOf } from './base.js';
import { changeFile, type Hands } from './change.js';
import type { Client, ClientFile, Reading, Routing, ServerEntry } from '../client.js';
import type { FileState } from './file-state.js';
import type { EntryRecord, FileRecord, Journal } from './journal.js';
import type { Planned } from './plan.js';
import { putBack } from './put-back.js';
import { TextProblem } from '../../text/text-problem.js';

export interface Importing {
  readonly client: Client;
  readonly file: ClientFile;
  readonly how: Routing;
  readonly journal: Journal;
  readonly hands: Hands;
  /** Plans the entries of this very text. */
  readonly plan: (reading: Reading) => readonly Planned[];
}

/** The outcome of a file: its entries, and its text before and after. Undefined where there is no file. */
export interface Imported {
  readonly planned: readonly Planned[];
  readonly before: string;
  readonly after: string;
}

/**
 * Routes the entries of one file that are to be. The file without anything of ours is copied and recorded,
 * durably, before it is replaced; what was found is judged anew under the lock. Throws `failed` for a file
 * that cannot be read or written, which then is as it was.
 */
export async function importFile(importing: Importing): Promise<Imported | undefined> {
  const { client, file, journal, hands } = importing;
  let result: Imported | undefined;
  await changeFile(
    file.path,
    { isLocked: client.locks(file), ownLock: journal.lockPath() },
    hands,
    (state) => {
      const found = routed(importing, state, journal.file(file.path)?.entries);
      result = found.result;
      if (found.entries.length === 0) return undefined;
      const { record, base } = recordOf(importing, state, found);
      return { text: found.result.after, prepare: () => journal.record(record, base) };
    },
  );
  return result;
}

/**
 * The text that importing would make of one. Entries that are routed already, and are to be routed again, are
 * first put back, by what is `recorded` of them. Throws `failed` where it cannot be read. Pure.
 */
export function routed(
  { client, file, how, plan }: Pick<Importing, 'client' | 'file' | 'how' | 'plan'>,
  state: Pick<FileState, 'path' | 'text'>,
  recorded: readonly EntryRecord[] = [],
): Routed {
  const reading = client.read(file, state.text);
  if (reading.problem !== undefined) {
    throw new SublError('failed', `\`${state.path}\` cannot be read: ${reading.problem}`, {
      help: 'mend it there, then try again',
    });
  }
  const planned = plan(reading);
  const chosen = planned.filter(({ becomes }) => becomes === 'routed').map(({ entry }) => entry);
  const unrouted = told(state, () => withoutRouted(client, state.text, chosen, recorded));
  const places = new Set(chosen.map(({ pointer }) => JSON.stringify(pointer)));
  const entries =
    unrouted === state.text
      ? chosen
      : client.read(file, unrouted).entries.filter(({ pointer }) => places.has(JSON.stringify(pointer)));
  const after = entries.length === 0 ? state.text : told(state, () => client.route(unrouted, entries, how));
  return { result: { planned, before: state.text, after }, entries, unrouted };
}

/**
 * A file that can be read may still be one that cannot be changed: an inline table that has no place, for
 * one.
 */
export function told<T>({ path }: Pick<FileState, 'path'>, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof TextProblem)) throw cause;
    throw new SublError('failed', `\`${path}\` cannot be changed: ${cause.message}`, {
      cause,
      help: 'nothing was changed; write its servers in another form there, then try again',
    });
  }
}

/** The text before the entries that are routed now were, whatever was done to others. */
interface Routed {
  readonly result: Imported;
  readonly entries: readonly ServerEntry[];
  readonly unrouted: string;
}

function withoutRouted(
  client: Client,
  text: string,
  entries: readonly ServerEntry[],
  recorded: readonly EntryRecord[],
): string {
  const known = new Map(recorded.map((record) => [JSON.stringify(record.pointer), record]));
  const ours = entries.filter(({ kind }) => kind === 'ours');
  if (ours.length === 0) return text;
  return client.unroute(
    text,
    ours.map(({ pointer }) => ({ pointer, back: known.get(JSON.stringify(pointer)) })),
  ).text;
}

function recordOf(
  { client, file, journal, hands, how }: Importing,
  state: FileState,
  { result, entries, unrouted }: Routed,
): { readonly record: FileRecord; readonly base: Buffer } {
  const before = journal.file(file.path);
  const [originals, writtens] = [client.sources(unrouted), client.sources(result.after)];
  const fresh = entries.map(({ name, pointer }): EntryRecord => {
    const original = originals(pointer);
    const written = writtens(pointer);
    if (original === undefined || written === undefined) throw new RangeError('no such entry');
    return { name, pointer, original, written };
  });
  const places = new Set(fresh.map(({ pointer }) => JSON.stringify(pointer)));
  const older = (before?.entries ?? []).filter(({ pointer }) => !places.has(JSON.stringify(pointer)));
  // A restore gives this very text back, without the changes of an earlier import.
  const without = (): string => putBack(client, file, state.text, before?.entries ?? [], how.home).text;
  const base =
    before !== undefined && before.after === state.hash
      ? baseOf(journal, before, without)
      : Buffer.from(without(), 'utf8');
  return {
    base,
    record: {
      path: file.path,
      scope: file.scope,
      ...(file.project === undefined ? {} : { project: file.project }),
      real: state.real,
      base: sha256Hex(base),
      after: sha256Hex(Buffer.from(result.after, 'utf8')),
      at: new Date(hands.now()).toISOString(),
      entries: [...older, ...fresh],
    },
  };
}
