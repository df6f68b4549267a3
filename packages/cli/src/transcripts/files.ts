import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fromDisk } from './from-disk.js';
import type { Bounds, LeftOut } from './bounds.js';

/** A file with the calls of a session. */
export interface SessionFile {
  readonly path: string;
  readonly changedMs: number;
}

/**
 * The session files below a folder that were changed since a moment, the oldest first. No link is followed.
 */
export function sessionFiles(
  folder: string,
  isSession: (name: string) => boolean,
  sinceMs: number,
  bounds: Bounds,
  left: LeftOut,
): readonly SessionFile[] {
  const found: SessionFile[] = [];
  const look = (path: string, depth: number): void => {
    const entries = fromDisk(() => readdirSync(path, { withFileTypes: true }));
    if (entries === undefined) {
      left.files += 1;
      return;
    }
    for (const entry of entries) {
      const one = join(path, entry.name);
      if (entry.isDirectory() && depth < bounds.depth) look(one, depth + 1);
      if (!entry.isFile() || !isSession(entry.name)) continue;
      const changedMs = fromDisk(() => statSync(one).mtimeMs);
      if (changedMs === undefined || found.length === bounds.files) left.files += 1;
      else if (changedMs >= sinceMs) found.push({ path: one, changedMs });
    }
  };
  look(folder, 0);
  return found.toSorted((a, b) => a.changedMs - b.changedMs);
}
