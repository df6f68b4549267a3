/**
 * The cost of a connection through the proxy beside a direct one, one through a bare prototype that records
 * it, and one through squid where that is installed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { proxyRunToken } from '@subluminal/core-types';
import { connectGateway, homePaths, processIdentity, readCredential } from '@subluminal/ipc';
import { openHome } from '../home.mjs';
import { figure, median, percentile, table } from '../measure.mjs';
import { openSquid } from '../peers/squid.mjs';
import { openRun } from '../signed-run.mjs';

const CONFIG = `
[egress]
mode = "enforce"
max_connections = 4096
max_run_connections = 2048
connections_per_minute = 1000000
`;
/** The system's own name for this machine: the proxy resolves it as every other one. */
const NAME = 'localhost';
const AT_ONCE = 1000;
const WARM_UP = 100;

export async function proxy({ short }) {
  const [connections, megabytes, rounds] = short ? [100, 64, 2] : [600, 512, 7];
  const home = openHome('fsync');
  const certificate = certify(home.root);
  const server = await serve(certificate);
  const floor = await openFloor(home.root);
  const squid = await openSquid();
  if (squid === undefined) console.log('squid is not installed: skipped\n');
  try {
    appendFileSync(join(home.home, 'config.toml'), CONFIG);
    home.up();
    const roads = await roadsOf(home, server, certificate.ca, { floor, squid });
    const measured = roads.filter(({ name }) => name !== 'floor');
    await perConnection(roads, connections);
    await transfers(measured, megabytes, rounds);
    await atOnce(measured);
    await decisions(home, roads, short ? 200 : 2000);
  } finally {
    squid?.stop();
    floor.stop();
    server.stop();
    home.remove();
  }
}

/** The ways to the server, each of them opened for one request. */
async function roadsOf(home, { tlsPort, plainPort, echoPort }, ca, { floor, squid }) {
  const paths = homePaths(home.home);
  const clock = () => Date.now();
  const operator = await connectGateway({
    socketPath: paths.socket,
    credential: readCredential(paths.operatorKey),
    clock,
  });
  await operator.request('allow.add', { host: NAME, allow_private: true });
  await operator.request('allow.add', { host: NAME, port: echoPort, protocol: 'tcp', allow_private: true });
  const opened = await operator.request('run.begin', {
    agent_id: 'bench',
    client: 'custom',
    env: 'dev',
    holder: processIdentity(process.pid),
  });
  operator.close();
  const token = proxyRunToken(opened.data.credential);
  const ours = {
    port: opened.data.proxy.port,
    head: `Proxy-Authorization: Basic ${Buffer.from(`run:${token}`).toString('base64')}\r\n`,
  };
  const ways = [
    ['direct', undefined],
    ['sub', { ...ours, pid: home.pid() }],
    ['floor', { port: floor.port, head: '', pid: floor.pid }],
    ...(squid === undefined ? [] : [['squid', { port: squid.port, head: '', pid: squid.pid }]]),
  ];
  return ways.map(([name, through]) => ({
    name,
    pid: through?.pid,
    tls: async () => {
      const socket = await tunnel(through, tlsPort);
      return secure(socket, ca);
    },
    plain: async () => {
      const socket = await open(through?.port ?? plainPort);
      const at = through === undefined ? '' : `http://${NAME}:${plainPort}`;
      return { socket, at, host: `${NAME}:${plainPort}`, fields: through?.head ?? '' };
    },
    echo: () => tunnel(through, echoPort),
    endless: () => {
      const at = through === undefined ? '' : `http://${NAME}:${plainPort}`;
      const head = `GET ${at}/${1024 ** 4} HTTP/1.1\r\nHost: ${NAME}:${plainPort}\r\n${through?.head ?? ''}\r\n`;
      return drain(through?.port ?? plainPort, head);
    },
  }));
}

async function perConnection(roads, count) {
  const times = new Map(
    roads.flatMap(({ name }) => [
      [`${name} TLS`, []],
      [`${name} HTTP`, []],
    ]),
  );
  const each = async ({ name, tls, plain }) => {
    times
      .get(`${name} TLS`)
      .push(await timed(async () => get({ socket: await tls(), at: '', host: NAME, fields: '' }, 16)));
    times.get(`${name} HTTP`).push(await timed(async () => get(await plain(), 16)));
  };
  // Programs that were started a moment ago compile more than they serve.
  for (let n = 0; n < WARM_UP; n += 1) for (const road of roads) await each(road);
  for (const samples of times.values()) samples.length = 0;
  const busy = roads.map(({ pid }) => processorOf(pid));
  for (let n = 0; n < count; n += 1) for (const road of roads) await each(road);
  // Ends are written down later.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const rows = [...times].map(([name, samples]) => {
    const kind = name.split(' ')[1];
    const added = median(samples) - median(times.get(`direct ${kind}`));
    const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => figure(percentile(samples, share)));
    return [name, p50, p90, p99, figure(added)];
  });
  table(['a new connection and one GET', 'p50 ms', 'p90 ms', 'p99 ms', 'added p50 ms'], rows);
  const own = roads.map((road, index) => [
    road.name,
    figure((processorOf(road.pid) - busy[index]) / (2 * count)),
  ]);
  table(['processor of the proxy', 'ms a connection'], own.slice(1));
}

async function transfers(roads, megabytes, rounds) {
  const bytes = megabytes * 1_048_576;
  const rates = new Map(roads.map(({ name }) => [name, { tls: [], plain: [] }]));
  const busy = roads.map(({ pid }) => processorOf(pid));
  for (let round = 0; round < rounds; round += 1) {
    for (const road of roads) {
      const rate = async (way) => (megabytes * 1000) / (await timed(async () => get(await way(), bytes)));
      rates.get(road.name).plain.push(await rate(road.plain));
      const over = async () => ({ socket: await road.tls(), at: '', host: NAME, fields: '' });
      rates.get(road.name).tls.push(await rate(over));
    }
  }
  const share = (name, kind) =>
    median(rates.get(name)[kind].map((rate, round) => rate / rates.get('direct')[kind][round]));
  console.log();
  table(
    [
      `${megabytes} MiB on one connection`,
      'TLS MiB/s',
      'of direct',
      'plain MiB/s',
      'of direct',
      'processor of the proxy, ms a MiB',
    ],
    [...rates].map(([name, { tls, plain }], index) => [
      name,
      figure(median(tls)),
      figure(share(name, 'tls')),
      figure(median(plain)),
      figure(share(name, 'plain')),
      figure((processorOf(roads[index].pid) - busy[index]) / (2 * rounds * megabytes)),
    ]),
  );
}

async function atOnce(roads) {
  const rows = [];
  for (const road of roads.slice(1)) {
    const before = residentOf(road.pid);
    const sockets = await Promise.all(Array.from({ length: AT_ONCE }, () => road.echo()));
    await Promise.all(sockets.map((socket) => echoes(socket, 1024)));
    const after = residentOf(road.pid);
    rows.push([
      road.name,
      sockets.length,
      figure(before),
      figure(after),
      figure(((after - before) * 1024) / AT_ONCE),
    ]);
    for (const socket of sockets) socket.destroy();
    await quiet(road.pid);
  }
  console.log();
  table(['connections at once, each carries 1 KiB', 'open', 'MiB before', 'MiB with them', 'KiB each'], rows);
}

/**
 * The transfers are drained by a process of their own: one that reads them waits for nothing else at its
 * pace.
 */
async function decisions(home, roads, count) {
  const run = await openRun(home.home);
  await timings(run, count);
  const rows = [['alone', await timings(run, count)]];
  for (const name of ['direct', 'sub']) {
    const transfer = await roads.find((road) => road.name === name).endless();
    rows.push([`beside a transfer as fast as it goes, ${name}`, await timings(run, count)]);
    transfer.kill('SIGKILL');
  }
  await run.close();
  console.log();
  table(
    ['a decision on a tool call', 'p50 ms', 'p90 ms', 'p99 ms'],
    rows.map(([name, samples]) => [
      name,
      ...[0.5, 0.9, 0.99].map((share) => figure(percentile(samples, share))),
    ]),
  );
}

async function timings(run, count) {
  const samples = [];
  for (let n = 0; n < count; n += 1) samples.push(await timed(() => run.action()));
  return samples;
}

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

async function tunnel(through, port) {
  const socket = await open(through?.port ?? port);
  if (through === undefined) return socket;
  socket.write(`CONNECT ${NAME}:${port} HTTP/1.1\r\nHost: ${NAME}:${port}\r\n${through.head}\r\n`);
  const [answer] = await once(socket, 'data');
  if (!String(answer).startsWith('HTTP/1.1 200')) throw new Error(`no tunnel: ${answer}`);
  return socket;
}

function secure(socket, ca) {
  return new Promise((resolve, reject) => {
    const over = connectTls({ socket, ca, servername: NAME });
    over.once('secureConnect', () => resolve(over));
    over.once('error', reject);
  });
}

/** One request, and all of its answer. */
function get({ socket, at, host, fields }, bytes) {
  return new Promise((resolve, reject) => {
    let left = bytes;
    let isBody = false;
    socket.on('data', (chunk) => {
      left -= chunk.length;
      if (!isBody) {
        if (!chunk.subarray(0, 12).equals(OK)) reject(new Error(`no answer: ${chunk.subarray(0, 200)}`));
        isBody = true;
        left += chunk.indexOf('\r\n\r\n') + 4;
      }
      if (left > 0) return;
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
    socket.write(`GET ${at}/${bytes} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`);
  });
}

const OK = Buffer.from('HTTP/1.1 200');

function echoes(socket, bytes) {
  return new Promise((resolve, reject) => {
    let left = bytes;
    socket.on('data', (chunk) => {
      left -= chunk.length;
      if (left === 0) resolve();
    });
    socket.once('error', reject);
    socket.write(Buffer.alloc(bytes));
  });
}

/** Milliseconds of processor that a process has had; not a number for none. */
function processorOf(pid) {
  if (pid === undefined) return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * Waits until a process has done what it had to do: the ends of a thousand connections are a thousand
 * entries.
 */
async function quiet(pid) {
  for (let tries = 0, before = -1; tries < 100 && processorOf(pid) - before > 20; tries += 1) {
    before = processorOf(pid);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function residentOf(pid) {
  const [, pages = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
  return (pages * 4096) / 1_048_576;
}

/** A process that reads the answer to a request and drops it, once that has begun to come. */
async function drain(port, request) {
  const coded = Buffer.from(request).toString('base64');
  const child = spawn(process.execPath, [subject('drain'), String(port), coded], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

async function openFloor(folder) {
  const child = spawn(process.execPath, [subject('floor-proxy'), join(folder, 'floor.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { port: Number(String(line)), pid: child.pid, stop: () => child.kill('SIGKILL') };
}

function subject(name) {
  return fileURLToPath(new URL(`../subjects/${name}.mjs`, import.meta.url));
}

async function serve({ key, cert }) {
  const child = spawn(process.execPath, [subject('proxied-server'), key, cert], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const [tlsPort, plainPort, echoPort] = JSON.parse(String(line));
  return { tlsPort, plainPort, echoPort, stop: () => child.kill('SIGKILL') };
}

function certify(folder) {
  const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(key, '');
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const named = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  openssl('req', '-x509', ...curve, '-keyout', key, '-out', cert, ...named);
  return { key, cert, ca: readFileSync(cert, 'utf8') };
}
