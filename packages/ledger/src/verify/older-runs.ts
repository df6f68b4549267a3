import type { Database } from 'better-sqlite3';

/**
 * Whether a run had entries in an older file. One that goes on is carried over; one that is met as a new one
 * and had some has ended there. It is looked up, so that no memory grows with the runs.
 */
export function isRunOf(older: readonly Database[]): (name: string) => boolean {
  const statements = older.map((db) =>
    db
      .prepare<[string], number>(
        'SELECT EXISTS(SELECT 1 FROM entry WHERE run = (SELECT id FROM dict WHERE kind = 1 AND name = ?))',
      )
      .pluck(),
  );
  // The newest first: what comes back most likely ended a short while ago.
  const newestFirst = statements.toReversed();
  return (name) => newestFirst.some((statement) => statement.get(name) === 1);
}
