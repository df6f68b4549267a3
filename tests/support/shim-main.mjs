// Runs a shim as a program of its own: `shim-main.mjs '{"home":…,"server":…,"command":[…]}'`.
import { homePaths } from '@subluminal/ipc';
import { runShim } from '@subluminal/shim';

const { home, server, command, gatewayEntry, limits, pass } = JSON.parse(process.argv[2] ?? '{}');
let code;
try {
  code = await runShim({
    paths: homePaths(home),
    serverName: server,
    command,
    gatewayEntry,
    env: process.env,
    ...(pass === undefined ? {} : { pass }),
    stdin: process.stdin,
    stdout: process.stdout,
    log: (line) => process.stderr.write(`shim: ${line}\n`),
    ...(limits === undefined ? {} : { limits }),
  });
} catch (error) {
  process.stderr.write(`${error.code}: ${error.message}\n`);
  code = 5;
}
process.exit(code);
