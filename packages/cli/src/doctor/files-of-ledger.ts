import { statSync } from 'node:fs';
import { GatewayConfig } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { parseTable, readText } from '../config/settings.js';
import { byteCount } from '../output/time.js';
import { found, ok, type Check } from './check.js';

const MB = 1_048_576;
/** A file is closed with a seal, so it may be a good deal larger than `ledger.segment_mb`, but not so many times. */
const MOST_TIMES = 2;

/** A full file that goes on growing: somebody has it open all the time, or its folder cannot take it. */
export function checkSegments(home: HomePaths): Check {
  const { size = 0 } = statSync(home.ledgerDb, { throwIfNoEntry: false }) ?? {};
  const limit = segmentMb(home);
  if (limit === 'unlimited') return ok('segments', `ledger.db has ${byteCount(size)}, and stays one file`);
  const text = `ledger.db has ${byteCount(size)}, and is to be closed with ${byteCount(limit * MB)}`;
  if (size <= limit * MB * MOST_TIMES) return ok('segments', text);
  const help =
    'end programs that keep `ledger.db` open; `segments/` has to be a folder that can be written, on the file system of the ledger';
  return found('segments', 'warn', text, help);
}

/** What is wrong with the file is for the check of the config to say. */
function segmentMb({ config }: HomePaths): number | 'unlimited' {
  try {
    const checked = GatewayConfig.safeParse(parseTable(config, readText(config) ?? ''));
    if (checked.success) return checked.data.ledger.segment_mb;
  } catch {
    return GatewayConfig.parse({}).ledger.segment_mb;
  }
  return GatewayConfig.parse({}).ledger.segment_mb;
}
