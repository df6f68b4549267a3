import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { survive, type CaseResult } from './cases.js';
import { ShortRun } from './short-run.js';
import { FaultWorld } from './world.js';

/** The system calls by which a process changes a disk. */
const CALLS =
  'write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,openat';

/** What is injected: an error in the place of the call, or death before it. */
export const INJECTIONS = ['error=EIO', 'error=ENOSPC', 'error=EINTR', 'signal=SIGKILL'] as const;

/** One of them. */
export type Injection = (typeof INJECTIONS)[number];

/** The `nth` call of that name on a file, named from the folder of everything. */
export interface TracedCall {
  readonly call: string;
  readonly path: string;
  readonly nth: number;
}

/** Why nothing can be traced here; undefined where it can. */
export function whyNoStrace(): string | undefined {
  const { status, error, stderr } = spawnSync('strace', ['-D', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/**
 * Runs the gateway in the place of its tracer, so that signals and exit codes are its own. Without
 * `--seccomp-bpf`, which would be faster: with it no signal is injected.
 */
function strace(output: string, ...options: string[]): string[] {
  return ['strace', '-D', '-f', '-qq', '-y', '-o', output, ...options];
}

/** Every change to a named file that a short run makes, by a first run that is only watched. */
export async function traceRun(): Promise<TracedCall[]> {
  const world = new FaultWorld();
  const folder = mkdtempSync(join(tmpdir(), 'sub-s-'));
  try {
    await world.listen();
    const output = join(folder, 'trace');
    const end = await world.start({}, strace(output, '-s', '0', '-e', `trace=${CALLS}`));
    if (end !== undefined) throw new Error(`the gateway does not start: ${end.stderr}`);
    await new ShortRun(world, 'case').finish();
    await world.stop();
    return callsOf(readFileSync(output, 'latin1'), world.root);
  } finally {
    await world.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

function callsOf(trace: string, root: string): TracedCall[] {
  const counts = new Map<string, number>();
  return trace.split('\n').flatMap((line) => {
    const call = /^\d+\s+([a-z0-9]+)\(/.exec(line)?.[1];
    const at = line.lastIndexOf(`${root}/`);
    if (call === undefined || at < 0 || (call === 'openat' && !line.includes('O_CREAT'))) return [];
    const path = /^[^">]*/.exec(line.slice(at + root.length))?.[0] ?? '';
    // Drafts have another name each time.
    if (/\.probe-|\.new-|\.sock/.test(path)) return [];
    const nth = (counts.get(`${call} ${path}`) ?? 0) + 1;
    counts.set(`${call} ${path}`, nth);
    return [{ call, path, nth }];
  });
}

/** The short run with that injection at that call, then to its end without one. */
export async function runTraced({ call, path, nth }: TracedCall, injection: Injection): Promise<CaseResult> {
  return survive((world, control) => ({
    env: {},
    before: strace(
      join(control.folder, 'trace'),
      '-P',
      world.root + path,
      '-e',
      `trace=${CALLS}`,
      '-e',
      `inject=${call}:${injection}:when=${nth}`,
    ),
  }));
}
