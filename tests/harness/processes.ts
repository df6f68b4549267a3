import { readFileSync, readdirSync } from 'node:fs';

/** A process whose environment or command line carries a mark. */
export interface Found {
  readonly pid: number;
  readonly command: string;
}

/** Every live process (zombies are none) that carries `mark` in its environment or its arguments. Linux only. */
export function processesWith(mark: string): Found[] {
  const found: Found[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const command = read(`/proc/${entry}/cmdline`).replaceAll('\0', ' ').trim();
    if (command === '' || /\) Z /.test(read(`/proc/${entry}/stat`))) continue;
    if (command.includes(mark) || read(`/proc/${entry}/environ`).includes(mark))
      found.push({ pid: Number(entry), command });
  }
  return found;
}

/** Waits until `condition` holds; throws with `what` when it does not in time. */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
) {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** A process may end between the listing and the reading. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(String(error.code))
    )
      return '';
    throw error;
  }
}
