import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs the calling script again for each disk: as it is (0), and with every fsync so many milliseconds
 * longer. Returns true in the process that did so and is done; false in the processes that it started, which
 * measure.
 */
export function onEachDisk(delaysMs) {
  if (process.env.SLOWSYNC_US !== undefined) return false;
  const folder = mkdtempSync(join(tmpdir(), 'subl-slowsync-'));
  try {
    const library = delaysMs.some((ms) => ms > 0) ? compile(folder) : undefined;
    for (const ms of delaysMs) {
      const skipped =
        ms > 0 && library === undefined ? ': skipped, there is no C compiler (`cc`) on Linux' : '';
      console.log(`${ms === 0 ? 'the disk as it is' : `fsync +${ms} ms`}${skipped}`);
      if (skipped !== '') continue;
      const slow = ms === 0 ? { SLOWSYNC_US: '0' } : { SLOWSYNC_US: String(ms * 1000), LD_PRELOAD: library };
      const { status } = spawnSync(process.execPath, process.argv.slice(1), {
        env: { ...process.env, ...slow },
        stdio: 'inherit',
      });
      if (status !== 0) throw new Error(`it ended with ${status}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return true;
}

function compile(folder) {
  if (process.platform !== 'linux') return undefined;
  const library = join(folder, 'slowsync.so');
  const source = fileURLToPath(new URL('./slow-disk/slowsync.c', import.meta.url));
  const { status } = spawnSync('cc', ['-O2', '-shared', '-fPIC', source, '-o', library, '-ldl']);
  return status === 0 ? library : undefined;
}
