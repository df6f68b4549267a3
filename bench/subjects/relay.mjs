/** A client of its own for a server: its process is the run, and whoever started it stands outside. */
import { spawn } from 'node:child_process';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: 'inherit' });
child.once('exit', (code) => process.exit(code ?? 1));
