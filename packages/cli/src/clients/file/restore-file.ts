import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { changeFile, type Hands } from './change.js';
import type { Client, ClientFile } from '../client.js';
import { readState, type FileState } from './file-state.js';
import { told } from './import-file.js';
import type { FileRecord, Journal } from './journal.js';
import { baseOf } from './base.js';
import { putBack, type PutBack } from './put-back.js';

/** A text in every routed entry, of either kind. */
const MARKS = /shim|Subluminal-Upstream/;

export interface Restoring {
  readonly client: Client;
  readonly file: ClientFile;
  readonly home: string;
  readonly journal: Journal;
  readonly hands: Hands;
}

/** The outcome of a file. */
export interface Restored {
  /**
   * `bytes`: it is what it was, byte for byte. `entries`: what changed since stays. `none`: nothing of ours
   * is in it.
   */
  readonly how: 'bytes' | 'entries' | 'none' | 'missing';
  readonly entries: readonly PutBack[];
  readonly before: string;
  readonly after: string;
}

/**
 * Takes back what was done to one file: byte for byte where it is as we left it, else one entry after the
 * other. The record is forgotten when that is durable. Throws `failed` for a file that cannot be read or
 * written, which then is as it was.
 */
export async function restoreFile(restoring: Restoring): Promise<Restored> {
  const { client, file, journal, hands } = restoring;
  // Nothing is locked for a file that has nothing of ours.
  if (journal.file(file.path) === undefined) {
    const preview = previewRestore(restoring);
    if (preview.how === 'none' || preview.how === 'missing') return preview;
  }
  let result: Restored | undefined;
  await changeFile(
    file.path,
    { isLocked: client.locks(file), ownLock: journal.lockPath() },
    hands,
    (state) => {
      const record = journal.file(file.path);
      const done = restored(restoring, state, record);
      result = done;
      return {
        text: done.after,
        prepare: () => undefined,
        done: () => {
          if (record !== undefined) forget(journal, record, done);
        },
      };
    },
  );
  return result ?? missing(restoring);
}

/** The outcome that restoring a file would have. Nothing is changed. */
export function previewRestore(restoring: Omit<Restoring, 'hands'>): Restored {
  const state = readState(restoring.file.path);
  if (state === undefined) return { how: 'missing', entries: [], before: '', after: '' };
  return restored(restoring, state, restoring.journal.file(state.path));
}

function restored(
  { client, file, home, journal }: Omit<Restoring, 'hands'>,
  state: FileState,
  record: FileRecord | undefined,
): Restored {
  if (record !== undefined && state.hash === record.base) {
    return { how: 'none', entries: [], before: state.text, after: state.text };
  }
  if (record !== undefined && state.hash === record.after) {
    const entries = record.entries.map(({ name, pointer }): PutBack => ({
      name,
      pointer,
      became: 'restored',
    }));
    const after = baseOf(journal, record, () => putBack(client, file, state.text, record.entries, home).text);
    return { how: 'bytes', entries, before: state.text, after: after.toString('utf8') };
  }
  const reading = client.read(file, state.text);
  if (reading.problem !== undefined) {
    // Not ours to mend where nothing was ever imported from it.
    if (record === undefined && !MARKS.test(state.text)) {
      return { how: 'none', entries: [], before: state.text, after: state.text };
    }
    throw new SublError('failed', `\`${state.path}\` cannot be read: ${reading.problem}`, {
      help: 'mend it there, then try again',
    });
  }
  const { text, entries } = told(state, () => putBack(client, file, state.text, record?.entries ?? [], home));
  return { how: entries.length === 0 ? 'none' : 'entries', entries, before: state.text, after: text };
}

/** Forgets all but the entries that were left, for the next time. */
function forget(journal: Journal, record: FileRecord, { entries }: Restored): void {
  const left = new Set(
    entries.filter(({ became }) => became === 'left').map(({ pointer }) => JSON.stringify(pointer)),
  );
  const rest = record.entries.filter(({ pointer }) => left.has(JSON.stringify(pointer)));
  journal.replace(record.path, rest.length === 0 ? undefined : { ...record, entries: rest });
}

/**
 * A file that somebody removed needs nothing back; one whose folder is away too may stand on a disk that
 * comes back.
 */
function missing({ journal, file }: Restoring): Restored {
  if (existsSync(dirname(file.path))) journal.replace(file.path);
  return { how: 'missing', entries: [], before: '', after: '' };
}
