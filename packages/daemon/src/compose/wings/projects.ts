import { readlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Database } from 'better-sqlite3';
import type { Clock, Logger, Recorder } from '@subluminal/gateway';
import { Projects, type ProjectSight, ProjectStore } from '@subluminal/projects';
import { Lookups, MOST_AT_ONCE } from '../lookups.js';

/** The policies of projects that are trusted, and the runs that they bind. */
export function composeProjects(from: {
  readonly db: Database;
  readonly sight: ProjectSight;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
}): Projects {
  const { db, sight, recorder, clock, log } = from;
  return new Projects({ store: new ProjectStore(db), sight, recorder, clock, log });
}

/**
 * This machine, as far as the files of projects lie there. Paths of calls are looked up elsewhere: a call
 * that names many slow ones holds up no folder of another run.
 */
export function projectSight(): ProjectSight {
  const lookups = new Lookups(MOST_AT_ONCE.folders);
  return {
    home: userInfo().homedir,
    resolve: (path) => lookups.resolve(path),
    textOf: (file, maxBytes) => lookups.textOf(file, maxBytes),
    folderOf,
  };
}

/** On other systems than Linux a process does not tell where it works. */
function folderOf(pid: number): string | undefined {
  try {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return folder.startsWith('/') ? folder : undefined;
  } catch {
    return undefined;
  }
}
