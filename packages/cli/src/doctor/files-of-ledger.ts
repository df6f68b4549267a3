import { statSync } from 'node:fs';
import { GatewayConfig } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { nameOfMissing, openLedgerReader, type LedgerReader } from '@subluminal/ledger';
import { neededToStart } from '@subluminal/records';
import { readTable } from '../home/settings.js';
import { byteCount } from '../output/time.js';
import { failedWith, found, ok, type Check } from './check.js';
import { attempt } from '../program/attempt.js';

const MB = 1_048_576;
/**
 * A file is closed with a seal, so it may be a good deal larger than `ledger.segment_mb`, but not so many
 * times.
 */
const MOST_TIMES = 2;

/** Whether the closed files are all there, and whether the one that is written is closed in its time. */
export function checkSegments(home: HomePaths): Check {
  try {
    return checkMissing(home) ?? checkSize(home);
  } catch (error) {
    return failedWith('segments', error, 'check that the home can be read by your user');
  }
}

/**
 * Closed files that are not where they were: the gateway works without the older ones, but not without the
 * newest.
 */
function checkMissing(home: HomePaths): Check | undefined {
  const files = closedFilesOf(home);
  const { missing } = files;
  if (missing.length === 0) return undefined;
  const text = `not in \`segments/\`: ${missing.map(nameOfMissing).join(', ')}`;
  if (neededToStart(files) !== undefined)
    return found(
      'segments',
      'fail',
      text,
      'put the newest of them back: the gateway does not start without it',
    );
  const help = 'put back what was moved elsewhere: until then it cannot be read or verified';
  return found('segments', 'warn', text, help);
}

/** The check of the ledger itself names its faults. */
function closedFilesOf(home: HomePaths): LedgerReader['closedFiles'] {
  const reader = attempt(() => openLedgerReader(home.ledgerDb));
  try {
    return attempt(() => reader?.closedFiles) ?? { there: [], missing: [] };
  } finally {
    reader?.close();
  }
}

/** A full file that goes on growing: somebody has it open all the time, or its folder cannot take it. */
function checkSize(home: HomePaths): Check {
  const { size = 0 } = statSync(home.ledgerDb, { throwIfNoEntry: false }) ?? {};
  const limit = segmentMb(home);
  if (limit === 'unlimited') return ok('segments', `ledger.db has ${byteCount(size)}, and stays one file`);
  const text = `ledger.db has ${byteCount(size)}, and is to be closed with ${byteCount(limit * MB)}`;
  if (size <= limit * MB * MOST_TIMES) return ok('segments', text);
  const help =
    'end programs that keep `ledger.db` open; `segments/` has to be a folder that can be written, on the file system of the ledger';
  return found('segments', 'warn', text, help);
}

/** The check of the config names the faults of the file. */
function segmentMb({ config }: HomePaths): number | 'unlimited' {
  try {
    const { ledger } = readTable(config) ?? {};
    return GatewayConfig.shape.ledger.parse(ledger).segment_mb;
  } catch {
    return GatewayConfig.shape.ledger.parse({}).segment_mb;
  }
}
