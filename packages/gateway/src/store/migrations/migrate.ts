import type { Database } from 'better-sqlite3';
import { SublError } from '@subluminal/core-types';
import type { Migration } from './migration.js';

/**
 * Brings a `gateway.db` to the newest version, each step in a transaction of its own that raises `user_version` as
 * well: a crash leaves one version or the next, never half of one. Only for a connection that holds the file's lock.
 *
 * @throws SublError `not_available` for a version that is none of these (from the future): what stands there is never guessed at.
 */
export function migrate(db: Database, path: string, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const found = db.pragma('user_version', { simple: true });
  if (typeof found !== 'number' || found < 1 || found > newest) throw fromTheFuture(path, found, newest);
  for (const { version, up } of migrations) {
    if (version <= found) continue;
    db.exec('BEGIN EXCLUSIVE');
    try {
      up(db);
      db.pragma(`user_version=${version}`);
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }
}

function fromTheFuture(path: string, found: unknown, newest: number): SublError {
  return new SublError(
    'not_available',
    `\`${path}\` has schema version ${String(found)}, and this gateway reads up to version ${newest}`,
    {
      help: 'serve this home with the version of subluminal that wrote it, or a later one; or begin a new home with `--home`',
    },
  );
}
