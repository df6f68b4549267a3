import { fileURLToPath } from 'node:url';
import { main } from './program/main.js';

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: () => process.cwd(),
  now: Date.now,
  // From dist/bundle/main.js, which is what is shipped.
  gatewayProgram: fileURLToPath(new URL('../../../daemon/dist/bundle/gateway.js', import.meta.url)),
  program: fileURLToPath(new URL('../../bin/sub.mjs', import.meta.url)),
  starterPolicies: fileURLToPath(new URL('../policies/', import.meta.url)),
});
