import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
/** A run of all tests holds far less at once; a container often gives 64 MiB. */
const ENOUGH = 2 ** 31;

/**
 * Once a test run: has tests make their homes in memory where the system has enough of it. A commit waits for
 * its disk, and a run of the tests makes tens of thousands. Each sync is asked for all the same. The long
 * form stays on the disk, as does whoever names a folder.
 */
export function setup(): void {
  if (process.env['TMPDIR'] !== undefined || process.env['SUB_LONG'] !== undefined) return;
  if (!memoryServes()) return;
  // The processes of the tests start after this, and inherit it.
  process.env['TMPDIR'] = MEMORY;
}

function memoryServes(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH && runsPrograms();
  } catch {
    return false;
  }
}

/** Some tests start what they write. */
function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.map((line) => line.split(' ')).find(([, at]) => at === MEMORY)?.[3];
  return options !== undefined && !options.split(',').includes('noexec');
}
