import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Finished, runSub as runInOwnProcess, type SubOptions } from './sub.js';

const PROGRAM = fileURLToPath(new URL('../support/resident-sub.mjs', import.meta.url));

/** They hold a run for as long as they live, or start what inherits their streams. */
const OWN_PROCESS = new Set(['run', 'shim', 'ledgerd', 'witness', 'watch', 'tail', 'doctor']);

/** Those that wait for a command. Each test process has as many as it once ran commands side by side. */
const idle: ChildProcess[] = [];

/**
 * Runs `sub ARGS` in a process that has run others before: a start of node and of the command line costs ten
 * times as much as most commands. Tests of the words and the effects of a command have it so. Promises of its
 * process (signals, inherited streams, that it ends) need one of its own: `runSub` of `sub.ts`.
 */
export async function runSub(args: readonly string[], options: SubOptions = {}): Promise<Finished> {
  if (options.input !== undefined || OWN_PROCESS.has(args[0] ?? '')) return runInOwnProcess(args, options);
  const resident = idle.pop() ?? start();
  const finished = await ask(resident, args, options);
  if (finished.signal === null && resident.connected) idle.push(resident);
  return finished;
}

function start(): ChildProcess {
  const resident = fork(PROGRAM, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  // Ends with this process, which does not wait for it.
  resident.unref();
  resident.channel?.unref();
  return resident;
}

function ask(resident: ChildProcess, args: readonly string[], options: SubOptions): Promise<Finished> {
  const { env = process.env, cwd = process.cwd(), timeoutMs = 60_000 } = options;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resident.kill('SIGKILL'), timeoutMs);
    const settle = (finished: Finished): void => {
      clearTimeout(timer);
      resident.off('message', onMessage).off('exit', onExit);
      resident.channel?.unref();
      resolve(finished);
    };
    const onMessage = (message: unknown): void =>
      settle({ ...(message as Omit<Finished, 'signal'>), signal: null });
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void =>
      settle({ code, signal: signal ?? 'SIGABRT', stdout: '', stderr: 'the resident process ended' });
    resident.once('message', onMessage).once('exit', onExit);
    resident.channel?.ref();
    resident.send({ args: [...args], env: { ...env }, cwd });
  });
}
