import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openGatewayDb } from '../gateway-db.js';
import { claim } from './0001-claim.js';
import type { Migration } from './migration.js';
import { MIGRATIONS } from './migrations.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-db-'));
  path = join(folder, 'gateway.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ALL = [
  'account',
  'agent',
  'agent_place',
  'authority',
  'live_run',
  'run_unusual',
  'secret',
  'served',
  'upstream',
];

/** Opens, closes, and tells which version and tables are there. */
function look(at = path): { version: unknown; tables: unknown } {
  const db = new SqliteDatabase(at);
  try {
    return {
      version: db.pragma('user_version', { simple: true }),
      tables: db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all(),
    };
  } finally {
    db.close();
  }
}

/** A file of the first layout with something in it. */
function old(): void {
  const db = openGatewayDb(path, [claim]);
  db.exec(
    "CREATE TABLE live_run(id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID; INSERT INTO live_run VALUES('r')",
  );
  db.close();
}

const adding = (version: number, name: string, then: () => void = () => undefined): Migration => ({
  version,
  up: (db) => {
    db.exec(`CREATE TABLE ${name}(id INTEGER PRIMARY KEY) STRICT`);
    then();
  },
});

describe('the migrations of gateway.db', () => {
  it('have versions that rise by one', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  it('bring a file of the first layout to the newest one, with all that it holds, and only once', () => {
    old();
    expect(look()).toEqual({ version: 1, tables: ['live_run'] });
    openGatewayDb(path).close();
    expect(look()).toEqual({ version: 6, tables: ALL });
    openGatewayDb(path).close();
    const db = new SqliteDatabase(path);
    expect(db.prepare('SELECT id FROM live_run').pluck().all()).toEqual(['r']);
    db.close();
  });

  it('leave the version before them where one fails in the middle, and go on from there', () => {
    old();
    const failing = adding(3, 'second', () => {
      throw new Error('the disk is full');
    });
    expect(() => openGatewayDb(path, [claim, adding(2, 'first'), failing])).toThrow('the disk is full');
    expect(look()).toEqual({ version: 2, tables: ['first', 'live_run'] });
    openGatewayDb(path, [claim, adding(2, 'first'), adding(3, 'second')]).close();
    expect(look()).toEqual({ version: 3, tables: ['first', 'live_run', 'second'] });
  });

  it('leave the version before them where the process dies in the middle', () => {
    old();
    const died = join(folder, 'died.db');
    // What stands on the disk at that moment: file and hot journal, as a process that is killed leaves them.
    const atDeath = (): void => {
      for (const end of ['', '-journal']) {
        if (existsSync(path + end)) copyFileSync(path + end, died + end);
      }
    };
    openGatewayDb(path, [claim, adding(2, 'first', atDeath)]).close();
    expect(existsSync(`${died}-journal`)).toBe(true);
    expect(look(died)).toEqual({ version: 1, tables: ['live_run'] });
    openGatewayDb(died).close();
    expect(look(died)).toEqual({
      version: 6,
      tables: ALL,
    });
  });

  it('refuse a file from the future and leave it as it is', () => {
    openGatewayDb(path, [...MIGRATIONS, adding(7, 'later')]).close();
    expect(() => openGatewayDb(path)).toThrow(
      expect.objectContaining({
        code: 'not_available',
        message: `\`${path}\` has schema version 7, and this gateway reads up to version 6`,
      }),
    );
    expect(look()).toEqual({
      version: 7,
      tables: [...ALL.filter((table) => table !== 'live_run'), 'later'].toSorted(),
    });
  });
});
