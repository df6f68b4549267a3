import { existsSync } from 'node:fs';
import type { HomePaths } from '@subluminal/ipc';
import { inspectLedger, openLedgerReader } from '@subluminal/ledger';
import { subjectOf } from '../audit/memory.js';
import { ago, span, wholeTime } from '../output/time.js';
import { failedWith, found, ok, type Check } from './check.js';

const CLOCK_TOLERANCE_MS = 5000;
const CORRUPT = 'run `sub audit verify`: it names the first entry that is wrong';

/** SQLite itself: its version, and the write-ahead log that lets readers and the gateway work at once. */
export function checkSqlite(home: HomePaths): Check {
  if (!existsSync(home.ledgerDb)) return ok('sqlite', 'no ledger yet');
  try {
    const { sqliteVersion, journalMode, hasEnded } = inspectLedger(home.ledgerDb);
    const text = `sqlite ${sqliteVersion}, journal mode ${journalMode}`;
    if (journalMode === 'wal') return ok('sqlite', text);
    if (hasEnded)
      return found(
        'sqlite',
        'warn',
        `${text}: the file has ended`,
        'run `sub up`: the ledger goes on in another file',
      );
    return found('sqlite', 'fail', text, 'the ledger was changed by another program: run `sub audit verify`');
  } catch (error) {
    return failedWith('sqlite', error, CORRUPT);
  }
}

/** The ledger's signed head. The whole proof is `sub audit verify`. */
export function checkHead(home: HomePaths, now: number): Check {
  if (!existsSync(home.ledgerDb)) {
    return found('ledger', 'warn', 'there is no ledger yet', 'run `sub up`: the gateway makes it');
  }
  try {
    const { entries, headSize, newestTs, mistake } = inspectLedger(home.ledgerDb);
    if (mistake !== null) return found('ledger', 'fail', mistake, CORRUPT);
    const newest = newestTs === null ? '' : `, newest ${ago(newestTs, now)}`;
    return ok(
      'ledger',
      `${entries} entries${newest}; the head is signed over ${headSize}: \`sub audit verify\` checks every entry`,
    );
  } catch (error) {
    return failedWith('ledger', error, CORRUPT);
  }
}

/** A clock that went back makes times, windows and expiries wrong. */
export function checkClock(home: HomePaths, now: number): Check {
  if (!existsSync(home.ledgerDb)) return ok('clock', wholeTime(now));
  try {
    const reader = openLedgerReader(home.ledgerDb);
    const [newest] = reader.recent(1);
    reader.close();
    if (newest !== undefined && newest.ts > now + CLOCK_TOLERANCE_MS) {
      return found(
        'clock',
        'fail',
        `the clock is ${span(newest.ts - now)} behind the newest entry of the ledger`,
        'set the clock: requests are refused as stale, and limits count wrong',
      );
    }
    return ok('clock', `${wholeTime(now)}, not before the newest entry`);
  } catch (error) {
    return failedWith('clock', error, CORRUPT);
  }
}

/** The memory outside of the home, without which a restored older ledger looks whole. */
export function checkMemory(home: HomePaths, stateFolders: readonly string[]): Check {
  if (!existsSync(home.ledgerDb)) return ok('memory', 'no ledger yet');
  try {
    const { headsLog } = subjectOf(home, undefined, undefined, stateFolders);
    if (headsLog === undefined || !existsSync(headsLog)) {
      return found(
        'memory',
        'warn',
        `there is no heads.log${headsLog === undefined ? '' : ` at \`${headsLog}\``}`,
        'the gateway writes it from its first entry on; set `heads_log` in config.toml for another place',
      );
    }
    if (headsLog.startsWith(`${home.home}/`)) {
      return found(
        'memory',
        'warn',
        'heads.log stands in the home that it is to remember',
        'set `heads_log` to a path outside',
      );
    }
    return ok('memory', headsLog);
  } catch (error) {
    return failedWith('memory', error, 'check `heads_log` in config.toml');
  }
}
