import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { hasCode, isMissing } from '@subluminal/ipc';
import { whyOf } from '../../output/system-error.js';

/** A lock that nobody has renewed for so long is one of a process that is gone. As Claude Code counts. */
const STALE_MS = 10_000;
const WAIT_MS = 20_000;
const POLL_MS = 50;

/** A folder whose being there says that one process changes a file. */
export interface Lock {
  /** Whether it is still ours: who found it stale has taken it. */
  isHeld(): boolean;
  release(): void;
}

/** The clock and the pause that waiting needs. */
export interface Waiting {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * Takes the lock folder at `path`, as Claude Code does for its file. Waits while another process holds it;
 * one that is older than ten seconds is taken over. Throws `failed` when it stays held, or the folder cannot
 * be made.
 */
export async function takeLock(path: string, { now, pause }: Waiting): Promise<Lock> {
  const deadline = now() + WAIT_MS;
  for (;;) {
    try {
      mkdirSync(path);
      return lockOf(path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) {
        throw new SublError('failed', `\`${path}\` cannot be made: ${whyOf(error)}`, {
          cause: error,
          help: 'nothing was changed; see that you can write to its folder',
        });
      }
    }
    if (isStale(path, now())) removeFolder(path);
    else if (now() > deadline) {
      throw new SublError('failed', `another process holds \`${path}\``, {
        help: 'nothing was changed; try again when the client has finished writing',
      });
    } else await pause(POLL_MS);
  }
}

function lockOf(path: string): Lock {
  const { ino } = statSync(path);
  const isHeld = (): boolean => {
    try {
      return statSync(path).ino === ino;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };
  return {
    isHeld,
    release: () => {
      if (isHeld()) removeFolder(path);
    },
  };
}

function isStale(path: string, now: number): boolean {
  try {
    return now - statSync(path).mtimeMs > STALE_MS;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Removes an empty folder, which another process may have done before. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
