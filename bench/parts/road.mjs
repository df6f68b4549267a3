/**
 * The road of one tool call in processor time: of the gateway and of the shim, with 32 in flight, one after
 * the other, and at an agent's pace. The bare prototype stands beside it, round by round.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openHome } from '../home.mjs';
import { figure, median, percentile, sequential, table, throughput } from '../measure.mjs';
import { openSession } from '../stdio-client.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const node = process.execPath;
const server = [node, file('../subjects/echo-server.mjs')];
const PACE_MS = 30;
const PROTOTYPE = 'prototype';
const PARSE_ONLY = 'parse-only shim';
const SUB = 'sub';

export async function road({ short }) {
  const [rounds, sizes] = short
    ? [3, { warm: 1000, many: 4000, lone: 400, paced: 50 }]
    : [7, { warm: 2000, many: 20_000, lone: 1000, paced: 150 }];
  const home = openHome('fsync');
  const figures = new Map([PARSE_ONLY, PROTOTYPE, SUB].map((name) => [name, []]));
  try {
    home.up();
    for (let round = 0; round < rounds; round += 1) {
      figures.get(PARSE_ONLY).push({
        cold: await coldStart([node, file('../subjects/parse-shim.mjs'), ...server]),
      });
      const shim = await openSession([node, file('../subjects/floor-shim.mjs'), ...server]);
      figures.get(PROTOTYPE).push(await measure(shim, childOf(shim.pid, 'floor-gateway'), sizes));
      const ours = await openSession([home.sub, ...home.shimArgs('echo'), ...server]);
      figures.get(SUB).push(await measure(ours, home.pid(), sizes));
    }
  } finally {
    home.remove();
  }
  print(figures);
}

async function measure(session, gateway, { warm, many, lone, paced }) {
  const of = async (count, work) => {
    const before = [processorUs(gateway), processorUs(session.pid)];
    const result = await work();
    return {
      result,
      gateway: (processorUs(gateway) - before[0]) / count,
      shim: (processorUs(session.pid) - before[1]) / count,
    };
  };
  await throughput(session.call, warm, 32);
  await pause(200);
  const atOnce = await of(many, () => throughput(session.call, many, 32));
  await pause(200);
  const oneByOne = await of(lone, () => sequential(session.call, lone));
  await pause(200);
  const atPace = await of(paced, () => spaced(session.call, paced));
  const memory = { pss: pssMb(gateway) + pssMb(session.pid), rss: session.rssMb() };
  const cold = session.coldStartMs;
  await session.close();
  return { atOnce, oneByOne, atPace, memory, cold };
}

async function spaced(call, count) {
  const samples = [];
  for (let n = 0; n < count; n += 1) {
    await pause(PACE_MS);
    samples.push(...(await sequential(call, 1)));
  }
  return samples;
}

async function coldStart(argv) {
  const session = await openSession(argv);
  await session.close();
  return session.coldStartMs;
}

/** Processor time of all threads of a process, in microseconds. */
function processorUs(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(ns) / 1000;
  }, 0);
}

/** Its share of the memory that processes have in common included, in MB. */
function pssMb(pid) {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
}

function childOf(parent, name) {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name));
  if (found === undefined) throw new Error(`${parent} has no child ${name}`);
  return Number(found);
}

function print(figures) {
  const of = (name, read) => median(figures.get(name).map(read));
  const row = (what, read, goal) => {
    const [ours, theirs] = [of(SUB, read), of(PROTOTYPE, read)];
    return [what, figure(theirs), figure(ours), figure(ours / theirs), goal];
  };
  const p50 = ({ result }) => percentile(result, 0.5);
  table(
    ['work', PROTOTYPE, SUB, 'ratio', 'goal'],
    [
      row('32 in flight, gateway, processor µs a call', ({ atOnce }) => atOnce.gateway, '1.8'),
      row('32 in flight, shim', ({ atOnce }) => atOnce.shim, '1.3'),
      row('32 in flight, calls a second', ({ atOnce }) => atOnce.result, '0.75'),
      row('one after the other, gateway', ({ oneByOne }) => oneByOne.gateway, ''),
      row('one after the other, shim', ({ oneByOne }) => oneByOne.shim, ''),
      row('one after the other, p50 µs', ({ oneByOne }) => p50(oneByOne), '1.25'),
      row(`${PACE_MS} ms apart, gateway`, ({ atPace }) => atPace.gateway, '1.5'),
      row(`${PACE_MS} ms apart, shim`, ({ atPace }) => atPace.shim, '1.5'),
      row(`${PACE_MS} ms apart, p50 µs`, ({ atPace }) => p50(atPace), '1.3'),
      row('shim and gateway, PSS MB', ({ memory }) => memory.pss, '130 MB'),
      row('shim, RSS MB', ({ memory }) => memory.rss, '65 MB'),
      row('cold start to the first result, ms', ({ cold }) => cold, ''),
    ],
  );
  const cold = of(SUB, ({ cold: ms }) => ms) / of(PARSE_ONLY, ({ cold: ms }) => ms);
  console.log(`\ncold start, of that of a parse-only shim: ${figure(cold)} (goal 1.2)`);
}
