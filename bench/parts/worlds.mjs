/**
 * Programs in worlds, as root and as a plain user, beside the same outside, a bare bubblewrap and another
 * sandbox.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { figure, median, table } from '../measure.mjs';
import { whyNoSandbox } from '../peers/sandbox.mjs';

const SUBJECT = fileURLToPath(new URL('../subjects/worlds-user.mjs', import.meta.url));
/** An account that every machine has, and nothing belongs to. */
const NOBODY = 65_534;

export async function worlds({ short }) {
  if (process.platform !== 'linux') {
    console.log('skipped: worlds are of Linux');
    return;
  }
  const size = short
    ? { rounds: 2, connections: 60, calls: 200, worlds: 10 }
    : { rounds: 7, connections: 400, calls: 1500, worlds: 50 };
  const why = whyNoSandbox();
  if (why !== undefined) console.log(`sandbox-runtime is left out: ${why}\n`);
  const server = createServer((_request, response) => response.end('a page'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  try {
    const users =
      process.getuid() === 0
        ? [
            ['root', undefined],
            ['a plain user', NOBODY],
          ]
        : [['a plain user', undefined]];
    for (const [name, uid] of users) {
      console.log(`as ${name}\n`);
      print(await measured(uid, { ...size, port, hasPeer: why === undefined }));
    }
  } finally {
    server.close();
  }
}

async function measured(uid, wanted) {
  const root = mkdtempSync(join('/var/tmp', 'sub-bench-w-'));
  chmodSync(root, 0o755);
  const as = uid === undefined ? {} : { uid, gid: uid };
  if (uid !== undefined) chownSync(root, uid, uid);
  try {
    const child = spawn(process.execPath, [SUBJECT, JSON.stringify({ ...wanted, root })], {
      ...as,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin', HOME: root },
      cwd: root,
    });
    const samples = await text(child.stdout);
    if (samples === '') throw new Error('the subject has ended early');
    return JSON.parse(samples);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function print({ cold, starts, connections, calls, many }) {
  /** Of the same round: what the machine does besides changes from one to the next. */
  const ratio = (of, to) => figure(median(of.map((value, at) => value / to[at])));
  const row = (name, of, to) => [name, figure(median(of)), to === undefined ? '' : ratio(of, to)];
  table(
    ['a program that does nothing, ms', 'p50', '× bubblewrap'],
    [
      ['bubblewrap alone', figure(median(starts.bare)), ''],
      row('in a world, from the pool', starts.world, starts.bare),
      ...(starts.peer === undefined
        ? []
        : [row('in sandbox-runtime, its proxies running', starts.peer, starts.bare)]),
    ],
  );
  console.log();
  table(
    ['the first of all, ms', 'p50', '× sandbox-runtime'],
    [
      row('in a world, of a gateway that runs', cold.world, cold.peer.length === 0 ? undefined : cold.peer),
      ...(cold.peer.length === 0
        ? []
        : [['in sandbox-runtime, proxies started', figure(median(cold.peer)), '']]),
    ],
  );
  console.log();
  table(
    ['whole commands, ms', 'p50', '× sub run'],
    [
      ['sub run -- true', figure(median(starts['sub run'])), ''],
      row('sub run --world -- true', starts['sub run --world'], starts['sub run']),
      row('sub world exec -- true, its world is up', starts['sub world exec'], starts['sub run']),
    ],
  );
  console.log();
  table(
    ['a new connection and one page, ms', 'p50', '× the proxy (goal 1.1)'],
    [
      ['direct', figure(median(connections.direct)), ''],
      ['through the proxy', figure(median(connections.proxy)), ''],
      row('in a world, by its name', connections.world, connections.proxy),
      row('in a world, refused with its reason', connections.refused, connections.proxy),
      ...(connections.peer === undefined
        ? []
        : [row('in sandbox-runtime', connections.peer, connections.proxy)]),
    ],
  );
  console.log();
  table(
    ['a call of a server', 'p50 ms', '× outside', 'processor ms', '× outside (goal 1.05)'],
    ['outside', 'world'].map((name) => [
      name === 'world' ? 'in a world' : name,
      figure(median(calls[name].p50)),
      name === 'world' ? ratio(calls.world.p50, calls.outside.p50) : '',
      figure(median(calls[name].cpu)),
      name === 'world' ? ratio(calls.world.cpu, calls.outside.cpu) : '',
    ]),
  );
  const { before, within, after } = many;
  console.log(
    `\n${many.worlds} worlds at once: there in ${figure(many.ms)} ms, 4 at a time; ` +
      `${figure((before.availableMb - within.availableMb) / many.worlds)} MB of the machine each; ` +
      `the gateway ${figure(before.gatewayMb)} → ${figure(within.gatewayMb)} → ${figure(after.gatewayMb)} MB, ` +
      `files ${before.files} → ${within.files} → ${after.files}\n`,
  );
}
