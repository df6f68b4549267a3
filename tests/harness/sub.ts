import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The entry that `npx sub` runs. */
export const SUB = fileURLToPath(new URL('../../packages/cli/bin/sub.mjs', import.meta.url));

/** What a finished command left behind. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SubOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** Runs `sub ARGS` as a user would and waits for its end. */
export function runSub(args: readonly string[], options: SubOptions = {}): Promise<Finished> {
  const child = spawn(process.execPath, [SUB, ...args], {
    env: options.env ?? process.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(options.input ?? '');
  return finished(child, options.timeoutMs ?? 60_000);
}

/** Collects the output of `child` until it ends; after `timeoutMs` it is killed. */
export async function finished(child: ChildProcess, timeoutMs: number): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return { code, signal, stdout, stderr };
}

/** The argv that puts `server` behind a shim, which hands the variables of `pass` on to it. */
export function shimCommand(
  home: string,
  name: string,
  server: readonly string[],
  pass: readonly string[] = [],
): string[] {
  const passing = pass.flatMap((variable) => ['--pass', variable]);
  return [
    process.execPath,
    SUB,
    'shim',
    'stdio',
    '--server',
    name,
    '--home',
    home,
    ...passing,
    '--',
    ...server,
  ];
}
