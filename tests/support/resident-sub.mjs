// Runs commands of `sub` one after the other for a test (`tests/harness/resident.ts`), each with its own
// arguments, environment, folder and output. Only the first waits until the command line is loaded. To the
// gateway it is one more process that the test started, as each command's own would be.
import { fileURLToPath } from 'node:url';
import { main } from '@subluminal/cli';

const packages = new URL('../../packages/', import.meta.url);
const SURROUNDINGS = {
  now: Date.now,
  gatewayProgram: fileURLToPath(new URL('daemon/dist/bundle/gateway.js', packages)),
  program: fileURLToPath(new URL('cli/bin/sub.mjs', packages)),
  starterPolicies: fileURLToPath(new URL('cli/dist/policies/', packages)),
};

/** @typedef {{ args: string[], env: Record<string, string>, cwd: string }} Asked */

/** @param {Asked} asked */
async function run({ args, env, cwd }) {
  // Also those that node itself reads, and that programs of the command inherit.
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  const said = { stdout: '', stderr: '' };
  const code = await main(args, {
    ...SURROUNDINGS,
    env,
    stdout: sink(said, 'stdout'),
    stderr: sink(said, 'stderr'),
    cwd: () => process.cwd(),
  });
  process.send?.({ code, ...said });
}

/** @param {{ stdout: string, stderr: string }} said @param {'stdout' | 'stderr'} name */
function sink(said, name) {
  return {
    isTTY: false,
    /** @param {string} text */
    write(text) {
      said[name] += text;
      return true;
    },
    on: () => undefined,
  };
}

process.on('message', (/** @type {Asked} */ asked) => void run(asked));
process.on('disconnect', () => process.exit());
