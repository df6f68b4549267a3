import { main } from './program/main.js';

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: () => process.cwd(),
  now: Date.now,
});
