import { readFileSync, readdirSync } from 'node:fs';

/** A process whose environment or command line carries a mark. */
export interface Found {
  readonly pid: number;
  readonly command: string;
}

/**
 * Every live process (zombies are none) that carries `mark` in its environment or its arguments. Linux only.
 */
export function processesWith(mark: string): Found[] {
  const found: Found[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    const command = read(`/proc/${entry}/cmdline`).replaceAll('\0', ' ').trim();
    if (command === '') continue;
    if (!command.includes(mark) && !read(`/proc/${entry}/environ`).includes(mark)) continue;
    if (!/\) Z /.test(read(`/proc/${entry}/stat`))) found.push({ pid: Number(entry), command });
  }
  return found;
}

/**
 * Tells from now on whether a process has ended: it was reaped, or is a zombie without threads, which may
 * outlive the first one. Only then are its descriptors closed: its command line is gone earlier, while its
 * sockets still answer.
 */
export function watchEnd(pid: number): () => boolean {
  const START = 19;
  const start = statOf(pid)[START];
  return () => {
    const now = statOf(pid);
    if (now.length === 0 || now[START] !== start) return true;
    return ['Z', 'X'].includes(now[0] ?? '') && threadsOf(pid) <= 1;
  };
}

/** What `/proc` says of a process behind its name, the state first; empty where there is none. */
function statOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch (error) {
    if (isGone(error)) return 0;
    throw error;
  }
}

/**
 * Waits until `condition` holds; throws with `what` when it does not in time. It asks less often the longer
 * it waits: to look at every process costs a busy machine more than the wait.
 */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
) {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = 10; !(await condition()); pauseMs = Math.min(pauseMs * 1.25, 100)) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** A process may end between the listing and the reading. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (isGone(error)) return '';
    throw error;
  }
}

function isGone(error: unknown): boolean {
  const codes = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
