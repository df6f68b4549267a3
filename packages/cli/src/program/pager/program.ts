import { spawn } from 'node:child_process';
import { isSublError } from '@subluminal/core-types';
import { findProgram } from '../../files/find-program.js';

type Env = Readonly<NodeJS.ProcessEnv>;

/**
 * The pager that the operator's environment names, with its arguments; undefined for none. It is started
 * without a shell, and never out of the folder that somebody works in.
 */
export function pagerOf(env: Env): readonly string[] | undefined {
  const [name = '', ...args] = (env['SUB_PAGER'] ?? env['PAGER'] ?? 'less').split(/\s+/).filter(Boolean);
  if (name === '' || name === 'cat') return undefined;
  try {
    return [findProgram(name, env['PATH'] ?? ''), ...args];
  } catch (error) {
    if (!isSublError(error)) throw error;
    return undefined;
  }
}

/** Shows a text in the pager until it is left. False if it could not, or ended by a failure. */
export function page([program = '', ...args]: readonly string[], text: string, env: Env): Promise<boolean> {
  // Ctrl-C is the pager's: it stops a search there, and leaves nothing of ours behind.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  return new Promise<boolean>((resolve) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: 'FRX', LV: '-c', ...env },
    });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
    // A pager that is left early has shown enough.
    child.stdin.on('error', ignore);
    child.stdin.end(text);
  }).finally(() => process.off('SIGINT', ignore));
}
