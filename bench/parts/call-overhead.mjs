/**
 * One MCP tool call through each subject: latency one at a time, calls a second with 32 in flight, memory,
 * start.
 */
import { fileURLToPath } from 'node:url';
import { figure, median, percentile, sequential, table, throughput } from '../measure.mjs';
import { openPeers } from '../peers/open.mjs';
import { openSession } from '../stdio-client.mjs';
import { openHome } from '../home.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const node = process.execPath;
const server = [node, file('../subjects/echo-server.mjs')];

export async function callOverhead({ short }) {
  const [rounds, calls] = short ? [2, 200] : [7, 1500];
  const homes = { fsync: openHome('fsync'), process: openHome('process') };
  // As an installed `sub` is started: its first lines choose what node is told.
  const shim = (durability) => [homes[durability].sub, ...homes[durability].shimArgs('echo'), ...server];
  const stdio = [
    ['direct', server],
    ['parse-only shim', [node, file('../subjects/parse-shim.mjs'), ...server]],
    ['bare prototype, fsync', [node, file('../subjects/floor-shim.mjs'), ...server]],
    ['sub shim, fsync', shim('fsync')],
    ['sub shim, process', shim('process')],
  ];
  const subjects = new Map(stdio.map(([name]) => [name, []]));
  try {
    for (const home of Object.values(homes)) home.up();
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, argv] of stdio)
        subjects.get(name).push(await measure(await openSession(argv), calls));
      for (const [name, open] of await openPeers(server)) {
        if (!subjects.has(name)) subjects.set(name, []);
        subjects.get(name).push(await measure(await open(), Math.ceil(calls / 5)));
      }
    }
  } finally {
    for (const home of Object.values(homes)) home.remove();
  }
  print(subjects);
}

async function measure(session, calls) {
  await sequential(session.call, Math.min(200, calls));
  const latency = await sequential(session.call, calls);
  const perSecond = await throughput(session.call, calls * 4, 32);
  const result = {
    p50: percentile(latency, 0.5),
    p99: percentile(latency, 0.99),
    perSecond,
    rss: session.rssMb(),
    cold: session.coldStartMs,
  };
  await session.close();
  return result;
}

function print(subjects) {
  const of = (name, field) => median(subjects.get(name).map((result) => result[field]));
  const rows = [...subjects.keys()].map((name) => [
    name,
    figure(of(name, 'p50')),
    figure(
      of(name, 'p50') -
        of(name.startsWith('SDK') || name.startsWith('peer') ? baseline(subjects) : 'direct', 'p50'),
    ),
    figure(of(name, 'p99')),
    figure(of(name, 'perSecond')),
    figure(of(name, 'perSecond') / of('direct', 'perSecond')),
    figure(of(name, 'cold')),
    figure(of(name, 'rss')),
  ]);
  table(
    ['subject', 'p50 µs', 'added µs', 'p99 µs', 'calls/s (32)', '× direct', 'cold start ms', 'RSS MB'],
    rows,
  );
  console.log(
    '\nadded = p50 over `direct`; for the HTTP peers over `SDK client, direct`. RSS is that of the first process.',
  );
}

/** The peers speak HTTP through the SDK's client, so they are held against that client without a proxy. */
const baseline = (subjects) => (subjects.has('SDK client, direct') ? 'SDK client, direct' : 'direct');
