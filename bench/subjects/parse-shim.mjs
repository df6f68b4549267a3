/** The floor for any shim: split lines, parse each, forward the bytes. Usage: parse-shim.mjs COMMAND ARGS… */
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function relay(from, to) {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      JSON.parse(line);
      to.write(`${line}\n`);
    }
  });
  from.on('end', () => to.end());
}

relay(process.stdin, server.stdin);
relay(server.stdout, process.stdout);
server.on('exit', (code) => process.exit(code ?? 1));
