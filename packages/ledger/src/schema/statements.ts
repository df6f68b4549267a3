import type { Database, Statement } from 'better-sqlite3';

/**
 * Makes `db` prepare each text once and hold the statement for as long as itself is held: what is prepared in
 * passing, pragmas included, leaves nothing to the garbage collector of a process that lives for weeks. An
 * add-on that was compiled against the headers of Node 24.19 or later of that line aborts when it collects
 * one outside of JavaScript. Hence a text is used in one mode only (plucked or not), and the texts are few.
 */
export function holdStatements(db: Database): Database {
  const held = new Map<string, Statement>();
  const prepare = db.prepare.bind(db);
  const prepareOnce = (sql: string): Statement => {
    const statement = held.get(sql) ?? prepare(sql);
    held.set(sql, statement);
    return statement;
  };
  Object.defineProperties(db, {
    prepare: { value: prepareOnce, configurable: true },
    pragma: {
      value: (text: string, options?: { simple?: boolean }) => run(prepareOnce, text, options),
      configurable: true,
    },
  });
  return db;
}

function run(prepare: (sql: string) => Statement, text: string, options?: { simple?: boolean }): unknown {
  const statement = prepare(`PRAGMA ${text}`);
  if (!statement.reader) return void statement.run();
  const simple = options?.simple === true;
  return simple ? statement.pluck(simple).get() : statement.pluck(simple).all();
}
