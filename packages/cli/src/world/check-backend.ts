import { isSublError } from '@subluminal/core-types';
import { backendNameOf, BACKENDS } from '@subluminal/worlds';
import { runProgram } from '../audit/anchor/program.js';
import { type Check, found, ok } from '../doctor/check.js';
import type { Call } from '../program/call.js';

const ASK_MS = 10_000;
const OTHERWISE = 'run the agent in a Linux machine or container of its own, and `sub` in there';

/** Which backend makes worlds here, by the platform; on a Mac, whether Lima is there. */
export async function checkBackend({ session }: Call): Promise<Check> {
  const name = backendNameOf(process.platform);
  if (name === 'lima') return checkLima(session.cwd, session.environment.all);
  if (name !== 'linux-local')
    return found('backend', 'fail', `\`${name ?? process.platform}\` makes no worlds yet`, OTHERWISE);
  const others = BACKENDS.filter((one) => one !== name).map((one) => `\`${one}\``);
  return ok('backend', `\`${name}\`, by the platform (not in use: ${others.join(', ')})`);
}

async function checkLima(cwd: string, env: NodeJS.ProcessEnv): Promise<Check> {
  const help = 'install Lima: `brew install lima`';
  try {
    const asked = { command: 'limactl', args: ['--version'], cwd, env, input: '', timeoutMs: ASK_MS };
    const { code, stdout, stderr } = await runProgram(asked);
    if (code === 0) return ok('backend', `\`lima\`, by the platform: ${stdout.toString('utf8').trim()}`);
    return found('backend', 'fail', `\`limactl --version\` failed: ${stderr.trim().slice(0, 200)}`, help);
  } catch (error) {
    if (!isSublError(error)) throw error;
    return found('backend', 'fail', error.message, help);
  }
}
