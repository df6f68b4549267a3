import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '@subluminal/ipc';
import { byteCount } from '../output/time.js';
import { failedWith, found, ok, type Check } from './check.js';

const NEWEST_MAJOR = 26;
const WARN_FREE_BYTES = 1024 ** 3;
const FAIL_FREE_BYTES = 100 * 1024 ** 2;
const SLOW_FSYNC_MS = 20;
const FSYNC_ROUNDS = 15;

/** A Node that is too old has not come so far: `sub.mjs` says it. */
export function checkNode(version: string): Check {
  const major = Number.parseInt(version.replace(/^v/, ''), 10);
  if (major <= NEWEST_MAJOR) return ok('node', `node ${version}`);
  return found(
    'node',
    'warn',
    `node ${version} is newer than what is tested`,
    `use Node 22 to ${NEWEST_MAJOR} if something fails`,
  );
}

/** With fewer the doors for HTTP and for the proxy take fewer connections than they could. */
const FEW_FILES = 8192;

/**
 * Checks how many files the gateway may have open. Each connection is one. `limits` is the text of
 * `/proc/PID/limits`.
 */
export function checkOpenFiles(limits: string): Check | undefined {
  const [, soft, hard] = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === undefined) return undefined;
  // The gateway raises the first to the second when it starts.
  const most = hard === 'unlimited' ? Number.POSITIVE_INFINITY : Math.max(Number(soft), Number(hard));
  if (most >= FEW_FILES) return ok('open files', `${hard} at most`);
  return found(
    'open files',
    'warn',
    `the gateway may have ${most} files open: it takes fewer connections from agents`,
    `raise the hard limit to ${FEW_FILES} or more (\`ulimit -Hn\` shows it), then run \`sub up --restart\``,
  );
}

/** Room for the ledger. A full disk stops every action: what cannot be recorded is not executed. */
export function checkDisk(home: HomePaths): Check {
  try {
    const { bavail, bsize } = statfsSync(home.home);
    const free = bavail * bsize;
    const text = `${byteCount(free)} free`;
    const help = 'make room: without it nothing can be recorded, and nothing is executed';
    if (free < FAIL_FREE_BYTES) return found('disk', 'fail', text, help);
    return free < WARN_FREE_BYTES ? found('disk', 'warn', text, help) : ok('disk', text);
  } catch (error) {
    return failedWith('disk', error, 'check the file system that the home is on');
  }
}

/**
 * How long a small write takes to be durable: every decision waits for one. `now` counts in milliseconds,
 * finely.
 */
export function checkFsync(home: HomePaths, now: () => number): Check {
  const path = join(home.home, `.doctor-${process.pid}`);
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      const times = Array.from({ length: FSYNC_ROUNDS }, () => {
        const started = now();
        writeSync(file, 'x'.repeat(4096));
        fsyncSync(file);
        return now() - started;
      }).toSorted((a, b) => a - b);
      const median = times[Math.floor(times.length / 2)] ?? 0;
      const text = `${median.toFixed(2)} ms for a durable write (median of ${FSYNC_ROUNDS})`;
      return median > SLOW_FSYNC_MS
        ? found(
            'fsync',
            'warn',
            text,
            'calls wait for it: move the home to a faster disk, or set durability = "process"',
          )
        : ok('fsync', text);
    } finally {
      closeSync(file);
      rmSync(path);
    }
  } catch (error) {
    return failedWith('fsync', error, 'check that the home can be written');
  }
}
