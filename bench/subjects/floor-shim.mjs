/**
 * The floor for a shim that asks a gateway: split lines, parse, sign, ask, forward the bytes once the answer
 * is there. Starts its own gateway. Usage: floor-shim.mjs COMMAND ARGS…
 */
import { spawn } from 'node:child_process';
import { createHmac, createSecretKey } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { frameOf, frames } from './floor-frames.mjs';

const [command, ...args] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sub-floor-'));
const socketPath = join(folder, 'socket');
const gateway = spawn(
  process.execPath,
  [fileURLToPath(new URL('floor-gateway.mjs', import.meta.url)), socketPath, join(folder, 'floor.db')],
  { stdio: 'inherit' },
);
process.on('exit', () => {
  gateway.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
while (!existsSync(socketPath)) await pause(10);

const key = createSecretKey(Buffer.alloc(32, 7));
const mac = (text) => createHmac('sha256', key).update(text).digest('base64url');
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const socket = connect(socketPath);
const held = new Map();
let corked = false;

function ask(message, line) {
  if (!corked) {
    corked = true;
    socket.cork();
    setImmediate(() => {
      corked = false;
      socket.uncork();
    });
  }
  const text = JSON.stringify({ id: message.id, tool: message.params.name, args: message.params.arguments });
  held.set(message.id, line);
  socket.write(frameOf(text, mac(text)));
}

socket.on(
  'data',
  frames((text, signature) => {
    if (mac(text) !== signature) throw new Error('an answer is not signed');
    const { id, action } = JSON.parse(text);
    if (action === 'ALLOW') server.stdin.write(`${held.get(id)}\n`);
    held.delete(id);
  }),
);

function lines(from, take) {
  let rest = '';
  from.setEncoding('utf8').on('data', (chunk) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) take(JSON.parse(line), line);
  });
}

lines(process.stdin, (message, line) => {
  if (message.method === 'tools/call') ask(message, line);
  else server.stdin.write(`${line}\n`);
});
lines(server.stdout, (_, line) => process.stdout.write(`${line}\n`));
process.stdin.on('end', () => server.stdin.end());
server.on('exit', (code) => process.exit(code ?? 1));
