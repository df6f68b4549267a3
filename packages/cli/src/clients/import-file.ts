import { sha256Hex, SublError } from '@subluminal/core-types';
import { changeFile, type Hands } from './change.js';
import type { Client, ClientFile, Reading, Routing, ServerEntry } from './client.js';
import type { FileState } from './file-state.js';
import type { EntryRecord, FileRecord, Journal } from './journal.js';
import type { Planned } from './plan.js';
import { putBack } from './put-back.js';

/** What importing one file needs. */
export interface Importing {
  readonly client: Client;
  readonly file: ClientFile;
  readonly how: Routing;
  readonly journal: Journal;
  readonly hands: Hands;
  /** What becomes of the entries of this very text. */
  readonly plan: (reading: Reading) => readonly Planned[];
}

/** What became of a file: its entries, and its text before and after. Undefined where there is no file. */
export interface Imported {
  readonly planned: readonly Planned[];
  readonly before: string;
  readonly after: string;
}

/**
 * Routes the entries of one file that are to be. The file without anything of ours is copied and recorded, durably, before
 * it is replaced; what was found is judged anew under the lock. Throws `failed` for a file that cannot be read or written,
 * which then is as it was.
 */
export async function importFile(importing: Importing): Promise<Imported | undefined> {
  const { client, file, journal, hands } = importing;
  let result: Imported | undefined;
  await changeFile(
    file.path,
    { isLocked: client.locks(file), ownLock: journal.lockPath() },
    hands,
    (state) => {
      const found = routed(importing, state);
      result = found.result;
      if (found.entries.length === 0) return undefined;
      const { record, base } = recordOf(importing, state, found);
      return { text: found.result.after, prepare: () => journal.record(record, base) };
    },
  );
  return result;
}

/** What importing would make of a text. Throws `failed` where it cannot be read. Pure. */
export function routed(
  { client, file, how, plan }: Pick<Importing, 'client' | 'file' | 'how' | 'plan'>,
  state: Pick<FileState, 'path' | 'text'>,
): { readonly result: Imported; readonly entries: readonly ServerEntry[] } {
  const reading = client.read(file, state.text);
  if (reading.problem !== undefined) {
    throw new SublError('failed', `\`${state.path}\` cannot be read: ${reading.problem}`, {
      help: 'it was not touched; mend it there, then try again',
    });
  }
  const planned = plan(reading);
  const entries = planned.filter(({ becomes }) => becomes === 'routed').map(({ entry }) => entry);
  const after = entries.length === 0 ? state.text : client.route(state.text, entries, how);
  return { result: { planned, before: state.text, after }, entries };
}

function recordOf(
  { client, file, journal, hands, how }: Importing,
  state: FileState,
  { result, entries }: ReturnType<typeof routed>,
): { readonly record: FileRecord; readonly base: Buffer } {
  const before = journal.file(file.path);
  const fresh = entries.map(({ name, pointer }): EntryRecord => {
    const original = client.source(state.text, pointer);
    const written = client.source(result.after, pointer);
    if (original === undefined || written === undefined) throw new RangeError('no such entry');
    return { name, pointer, original, written };
  });
  const places = new Set(fresh.map(({ pointer }) => JSON.stringify(pointer)));
  const older = (before?.entries ?? []).filter(({ pointer }) => !places.has(JSON.stringify(pointer)));
  // What a restore gives back: this very text, without what an earlier import made of it.
  const base =
    before !== undefined && before.after === state.hash
      ? journal.copy(before)
      : Buffer.from(putBack(client, file, state.text, older, how.home).text, 'utf8');
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
