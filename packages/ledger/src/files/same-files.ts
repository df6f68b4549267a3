import { statSync } from 'node:fs';

/**
 * Remembers which files stand at some paths. SQLite goes on writing to a file that was removed or replaced,
 * where nobody will ever read it.
 */
export class SameFiles {
  readonly #known: readonly (readonly [path: string, identity: string])[];

  constructor(paths: readonly string[]) {
    this.#known = paths.map((path) => [path, identityOf(path)]);
  }

  /** The first path where another file stands, or none; undefined while all are the same. */
  changed(): string | undefined {
    return this.#known.find(([path, identity]) => identityOf(path) !== identity)?.[0];
  }
}

function identityOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.dev} ${stats.ino}`;
}
