// Part "session": a real session without a network, watched system call by system call.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { skipped } from './report.mjs';

/** @import { Check } from './report.mjs' */

/** @param {string} root @returns {Promise<Check[]>} */
export async function auditSession(root) {
  if (!existsSync(join(root, 'packages/cli/dist/bundle/main.js'))) {
    return [skipped('session', 'shim, cli, gateway', 'not built: run `npm run build`')];
  }
  return [skipped('session', 'shim, cli, gateway', 'not built')];
}
