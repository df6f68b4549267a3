/**
 * Other people's stdio-to-HTTP proxies, driven by the SDK's client. They decide nothing and record nothing:
 * they show what a hop costs elsewhere. Installed on first use; where that is not possible they are left out,
 * visibly.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const bin = (name) => `${folder}node_modules/.bin/${name}`;

/** Pairs of a name and a function that opens a session like the one of `openSession`. */
export async function openPeers(server) {
  const direct = ['SDK client, direct', () => openStdio(server)];
  if (!installPeers()) return [direct];
  // The HTTP transport adds a listener a request to one signal; the warning would stand between the figures.
  setMaxListeners(0);
  return [
    direct,
    [
      'peer mcp-proxy',
      () =>
        openHttp((port) => [
          bin('mcp-proxy'),
          '--port',
          String(port),
          '--host',
          '127.0.0.1',
          '--',
          ...server,
        ]),
    ],
    [
      'peer supergateway',
      () =>
        openHttp((port) => [
          bin('supergateway'),
          '--stdio',
          server.join(' '),
          '--outputTransport',
          'streamableHttp',
          '--stateful',
          '--port',
          String(port),
          '--logLevel',
          'none',
        ]),
    ],
  ];
}

/** Installs all of them. False, said on stdout, where that is not possible. */
export function installPeers() {
  if (['mcp-proxy', 'supergateway', 'srt'].every((name) => existsSync(bin(name)))) return true;
  try {
    execFileSync('npm', ['install', '--no-package-lock', '--ignore-scripts', '--loglevel=error'], {
      cwd: folder,
      stdio: 'pipe',
      timeout: 180_000,
    });
    return true;
  } catch (error) {
    console.log(`skipped: the peers cannot be installed here (${String(error.message).split('\n')[0]})`);
    return false;
  }
}

async function openStdio([command, ...args]) {
  const started = performance.now();
  const transport = new StdioClientTransport({ command, args });
  return session(
    transport,
    started,
    () => transport.pid,
    async () => {},
  );
}

async function openHttp(argvFor) {
  const port = await freePort();
  const [command, ...args] = argvFor(port);
  const started = performance.now();
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  await listening(port);
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  return session(
    transport,
    started,
    () => child.pid,
    async () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  );
}

async function session(transport, started, pid, end) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  const call = (n) => client.callTool({ name: 'echo', arguments: { n, text: 'what an agent would send' } });
  await call(0);
  const coldStartMs = performance.now() - started;
  return {
    call,
    coldStartMs,
    rssMb: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1]) / 1024,
    async close() {
      await client.close();
      await end();
    },
  };
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

async function listening(port) {
  const deadline = performance.now() + 15_000;
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
