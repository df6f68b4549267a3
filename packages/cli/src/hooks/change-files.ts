import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { sha256Hex, SublError } from '@subluminal/core-types';
import { changeFile, type Hands } from '../clients/file/change.js';
import { baseOf } from '../clients/file/base.js';
import { told } from '../clients/file/import-file.js';
import { readState, type FileState } from '../clients/file/file-state.js';
import type { FileRecord, Journal } from '../clients/file/journal.js';
import type { HookFile, HookSetup } from './hook-client.js';

/** No person keeps settings that are larger; each change reads all of them a dozen times. */
const MAX_CHARACTERS = 4_194_304;

/** The bits of a mode that let others than the owner in. */
const OPEN = 0o077;

/** The outcome of one file: its text before and after. */
export interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** How hooks were taken back: the whole file as it was, or ours alone out of it. */
  readonly how: 'installed' | 'bytes' | 'entries' | 'none';
  /** Nothing is left of it: it was made for the hooks. */
  readonly isGone?: true;
}

export interface Changing {
  readonly file: HookFile;
  readonly journal: Journal;
  readonly hands: Hands;
  readonly isDry: boolean;
}

/**
 * Writes the hooks into a file, which is made where there is none. Its bytes before are kept first. Throws
 * `failed`: nothing was changed.
 */
export async function installInto(
  { file, journal, hands, isDry }: Changing,
  setup: HookSetup,
): Promise<ChangedFile> {
  const textOf = (state: Pick<FileState, 'path' | 'text'>): string => {
    if (state.text.length > MAX_CHARACTERS)
      throw new SublError('failed', `\`${state.path}\` has more than 4 MiB: no hooks are written into it`, {
        help: 'make the file smaller, then install the hooks again',
      });
    return told(state, () => file.installed(state.text, setup));
  };
  const found = readState(file.path);
  if (isDry || found === undefined) {
    const before = found?.text ?? '';
    const after = textOf({ path: file.path, text: before });
    if (!isDry) create(file.path, after, journal, hands);
    return { path: file.path, before, after, how: 'installed' };
  }
  let outcome = { before: found.text, after: found.text };
  await changeFile(file.path, { isLocked: false, ownLock: journal.lockPath() }, hands, (state) => {
    const after = textOf(state);
    outcome = { before: state.text, after };
    if (after === state.text) return undefined;
    const base = baseBefore(file, journal, state);
    const was = journal.file(file.path);
    const existed = was === undefined || was.existed === true;
    const mode = was?.mode ?? state.stats.mode & 0o777;
    // The token lets whoever reads it ask as the client.
    const isClosed = after.includes(setup.enrolToken) && (mode & OPEN) !== 0;
    const record = {
      ...recordOf(state, base, after, hands),
      ...(existed ? { existed } : {}),
      ...(isClosed ? { mode } : {}),
    };
    const closed = isClosed ? { mode: state.stats.mode & ~OPEN } : {};
    return { text: after, ...closed, prepare: () => journal.record(record, base) };
  });
  return { path: file.path, ...outcome, how: 'installed' };
}

/**
 * Takes the hooks out of a file: byte for byte what it was where nobody changed it since, else ours alone. A
 * file that was made for them goes. Throws `failed`: nothing was changed.
 */
export async function removeFrom({ file, journal, hands, isDry }: Changing): Promise<ChangedFile> {
  const found = readState(file.path);
  const record = journal.file(file.path);
  if (found === undefined) {
    if (record !== undefined && !isDry && existsSync(dirname(file.path))) journal.replace(file.path);
    return { path: file.path, before: '', after: '', how: 'none' };
  }
  const removed = (state: FileState): Omit<ChangedFile, 'path'> => {
    if (record !== undefined && state.hash === record.after) {
      const base = baseOf(journal, record, () => told(state, () => file.removed(state.text)));
      return { before: state.text, after: base.toString('utf8'), how: 'bytes' };
    }
    const after = told(state, () => file.removed(state.text));
    return { before: state.text, after, how: after === state.text ? 'none' : 'entries' };
  };
  let outcome = removed(found);
  if (outcome.how === 'bytes' && outcome.after === '' && record?.existed !== true) {
    if (!isDry) {
      rmSync(found.real);
      journal.replace(file.path);
    }
    return { path: file.path, ...outcome, isGone: true };
  }
  if (isDry || outcome.how === 'none') return { path: file.path, ...outcome };
  await changeFile(file.path, { isLocked: false, ownLock: journal.lockPath() }, hands, (state) => {
    outcome = removed(state);
    // Its own mode again, unless somebody gave it another.
    const opened = record?.mode !== undefined && (state.stats.mode & OPEN) === 0 ? { mode: record.mode } : {};
    return {
      text: outcome.after,
      ...opened,
      prepare: () => undefined,
      done: () => journal.replace(file.path),
    };
  });
  return { path: file.path, ...outcome };
}

/** The file as it was before anything of ours stood in it. */
function baseBefore(file: HookFile, journal: Journal, state: FileState): Buffer {
  const record = journal.file(file.path);
  const without = (): string => told(state, () => file.removed(state.text));
  if (record !== undefined && record.after === state.hash) return baseOf(journal, record, without);
  return Buffer.from(file.contents(state.text).ours.length > 0 ? without() : state.text, 'utf8');
}

function create(path: string, text: string, journal: Journal, hands: Hands): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const base = Buffer.alloc(0);
  journal.record(recordOf({ path, real: path }, base, text, hands), base);
  writeFileSync(path, text, { mode: 0o600, flag: 'wx', flush: true });
}

function recordOf(
  { path, real }: Pick<FileState, 'path' | 'real'>,
  base: Buffer,
  after: string,
  hands: Hands,
): FileRecord {
  return {
    path,
    scope: 'user',
    real,
    base: sha256Hex(base),
    after: sha256Hex(Buffer.from(after, 'utf8')),
    at: new Date(hands.now()).toISOString(),
    entries: [],
  };
}
