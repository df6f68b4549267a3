/**
 * A minimal MCP client over a child's stdio, made for measuring: no parsing beyond what matching answers
 * needs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/**
 * Starts `argv`, initialises the session, and resolves when the first tool call has been answered.
 * `coldStartMs` runs from spawn to that answer.
 */
export async function openSession(argv, { env = process.env, cwd } = {}) {
  const started = performance.now();
  const child = spawn(argv[0], argv.slice(1), { stdio: ['pipe', 'pipe', 'pipe'], env, cwd });
  const waiting = new Map();
  let rest = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr = (stderr + text).slice(-4000)));
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  child.on('exit', (code) => {
    for (const settle of waiting.values()) settle({ error: { message: `ended with ${code}: ${stderr}` } });
    waiting.clear();
  });

  let nextId = 0;
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++nextId;
      waiting.set(id, (message) =>
        message.error === undefined ? resolve(message.result) : reject(new Error(message.error.message)),
      );
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });

  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const call = (n) =>
    request('tools/call', { name: 'echo', arguments: { n, text: 'what an agent would send' } });
  await call(0);
  const coldStartMs = performance.now() - started;

  return {
    call,
    coldStartMs,
    pid: child.pid,
    rssMb: () => residentMb(child.pid),
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Resident memory of a process in MB, or NaN where /proc is not there. */
export function residentMb(pid) {
  try {
    const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kb) / 1024;
  } catch (error) {
    if (error.code === 'ENOENT') return Number.NaN;
    throw error;
  }
}
