import { readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { isMissing, processIdentity } from '@subluminal/ipc';
import { whyOf } from '../../output/system-error.js';
import { assertReplaceable, readState, type FileState } from './file-state.js';
import { takeLock, type Lock, type Waiting } from './lock.js';
import { replaceFile } from '../../files/replace.js';

/** How often a file may change under our hands before we give up. */
const TRIES = 5;

/** The parts of the world that changing a file needs. */
export interface Hands extends Waiting {
  readonly pid: number;
  /** Told what was just done: tests look at the files then. */
  readonly at?: (step: 'locked' | 'prepared' | 'drafted' | 'replaced') => void;
}

/** A new text for a file. */
export interface Change {
  readonly text: string;
  /** The mode that the file gets with it; else it keeps its own. */
  readonly mode?: number;
  /**
   * Makes durable what is needed to take it back. Done before the file is touched; may be done more than
   * once.
   */
  readonly prepare: () => void;
  /** Done, still under the lock, when the file durably holds the text. */
  readonly done?: () => void;
}

/**
 * Changes one file, as it is found under the client's own lock (`isLocked`) or, of clients without one, as it
 * still is at the very end. `ownLock` is held as well, against others of our kind. `decide` is asked again
 * when another process has written it meanwhile; without a change nothing is written. Tells what the file
 * was, undefined where there is none. Throws `failed` (nothing was changed) and what `decide` throws.
 */
export async function changeFile(
  path: string,
  { isLocked, ownLock }: { readonly isLocked: boolean; readonly ownLock: string | undefined },
  hands: Hands,
  decide: (state: FileState) => Change | undefined,
): Promise<FileState | undefined> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const locks = await takeLocks(isLocked ? path : undefined, ownLock, hands);
    try {
      const state = readState(path);
      if (state === undefined) return undefined;
      hands.at?.('locked');
      const change = decide(state);
      if (change === undefined) return state;
      if (change.text !== state.text && !replaced(state, change, locks, hands)) continue;
      change.done?.();
      return state;
    } finally {
      for (const lock of locks) lock.release();
    }
  }
  throw new SublError('failed', `\`${path}\` is changed by another process all the time`, {
    help: 'nothing was changed; quit the client, then try again',
  });
}

/** A file that is a link is locked under both of its names. */
async function takeLocks(
  path: string | undefined,
  ownLock: string | undefined,
  hands: Hands,
): Promise<readonly Lock[]> {
  const real = path === undefined ? undefined : realOf(path);
  const clients = path === undefined || real === undefined ? [] : [path, real];
  const locks: Lock[] = [];
  try {
    for (const one of new Set(clients)) locks.push(await takeLock(`${one}.lock`, hands));
    if (ownLock !== undefined) locks.push(await takeLock(ownLock, hands));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.release();
    throw error;
  }
}

function replaced(state: FileState, change: Change, locks: readonly Lock[], hands: Hands): boolean {
  assertReplaceable(state);
  change.prepare();
  hands.at?.('prepared');
  try {
    removeDrafts(state.real);
    const isDone = replaceFile(state.real, `${state.real}.sub-${hands.pid}.tmp`, {
      bytes: Buffer.from(change.text, 'utf8'),
      mode: change.mode ?? state.stats.mode,
      owner: state.stats,
      mayReplace: () => {
        hands.at?.('drafted');
        return isSame(state) && locks.every((lock) => lock.isHeld());
      },
    });
    if (isDone) hands.at?.('replaced');
    return isDone;
  } catch (error) {
    if (error instanceof SublError) throw error;
    throw new SublError('failed', `\`${state.path}\` cannot be replaced: ${whyOf(error)}`, {
      cause: error,
      help: 'it is as it was; see that you can write to its folder',
    });
  }
}

/** Drafts of processes that are gone hold what the file held, for nothing. */
function removeDrafts(real: string): void {
  const folder = dirname(real);
  for (const name of readdirSync(folder)) {
    const [, whose = '', pid] = /^(.+)\.sub-([0-9]{1,10})\.tmp$/.exec(name) ?? [];
    if (whose === basename(real) && processIdentity(Number(pid)) === undefined) {
      rmSync(join(folder, name), { force: true });
    }
  }
}

/** Whether the file is what was judged, byte for byte, and its links lead where they did. */
function isSame(state: FileState): boolean {
  const now = readState(state.path);
  return now !== undefined && now.real === state.real && now.hash === state.hash;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new SublError('failed', `\`${path}\` cannot be read: ${whyOf(error)}`, { cause: error });
  }
}
