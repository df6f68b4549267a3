import { spawn } from 'node:child_process';
import type { ProcessIdentity } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';
import { after } from './cleanups.js';

/**
 * A process that lives until the test is over and is no ancestor of what the test starts. It holds a run that
 * an operator's verb is outside of.
 */
export function elsewhere(): ProcessIdentity {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e9)'], { stdio: 'ignore' });
  after(() => void child.kill('SIGKILL'));
  const identity = processIdentity(child.pid ?? 0);
  if (identity === undefined) throw new Error('the process that was to hold the run did not start');
  return identity;
}
