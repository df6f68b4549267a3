// Running one command of the toolchain to its end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a command with the caller's output and no input, and resolves to its exit code (128 + n when signal n
 * ended it).
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>}
 */
export async function run(program, args, options) {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(child, 'close');
  if (code !== null) return code;
  process.stderr.write(`\`${program} ${args.join(' ')}\` was ended by ${signal}\n`);
  return 1;
}
