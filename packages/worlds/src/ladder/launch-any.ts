import type { Launch } from '../enter/launch.js';

/**
 * The start of a program that is only told of the proxy: it is outside, with the environment that it would
 * have there.
 */
export function launchAny([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Launch {
  return { command, args, env, files: undefined, signalled: (child) => child, release: () => undefined };
}
