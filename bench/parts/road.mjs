/**
 * The road of one tool call beside the bare prototype, round by round: processor time of the gateway and of
 * the shim with 32 in flight, one after the other and at an agent's pace, latency, memory, and the start.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { callCost, PACE_MS } from '../call-cost.mjs';
import { openHome } from '../home.mjs';
import { figure, median, percentile, table } from '../measure.mjs';
import { openSession } from '../stdio-client.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const node = process.execPath;
const server = [node, file('../subjects/echo-server.mjs')];

export async function road({ short }) {
  const [rounds, sizes] = short
    ? [3, { warm: 1000, many: 4000, lone: 400, paced: 50 }]
    : [7, { warm: 2000, many: 20_000, lone: 1000, paced: 150 }];
  const home = openHome('fsync');
  const [theirs, ours, parseOnly] = [[], [], []];
  try {
    home.up();
    for (let round = 0; round < rounds; round += 1) {
      const parsing = await openSession([node, file('../subjects/parse-shim.mjs'), ...server]);
      parseOnly.push(parsing.coldStartMs);
      await parsing.close();
      const bare = await openSession([node, file('../subjects/floor-shim.mjs'), ...server]);
      theirs.push(await measure(bare, childOf(bare.pid, 'floor-gateway'), sizes));
      const shim = await openSession([home.sub, ...home.shimArgs('echo'), ...server]);
      ours.push(await measure(shim, home.pid(), sizes));
    }
  } finally {
    home.remove();
  }
  print(theirs, ours, parseOnly);
}

async function measure(session, gateway, sizes) {
  const cost = await callCost(session, gateway, sizes);
  const result = { ...cost, pss: pssMb(gateway) + pssMb(session.pid), rss: session.rssMb() };
  await session.close();
  return { ...result, cold: session.coldStartMs };
}

/** Memory of a process in MB: of what it has in common with others, its share. */
function pssMb(pid) {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
}

function childOf(parent, name) {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name));
  if (found === undefined) throw new Error(`${parent} has no child ${name}`);
  return Number(found);
}

function print(theirs, ours, parseOnly) {
  const p50 = ({ result }) => percentile(result, 0.5);
  const row = (work, goal, read) => {
    const [bare, sub] = [median(theirs.map(read)), median(ours.map(read))];
    return [work, figure(bare), figure(sub), figure(sub / bare), goal];
  };
  table(
    ['of one call', 'prototype', 'sub', 'ratio', 'goal'],
    [
      row('32 in flight: gateway, processor µs', '1.8', ({ atOnce }) => atOnce.gateway),
      row('32 in flight: shim', '1.3', ({ atOnce }) => atOnce.shim),
      row('32 in flight: calls a second', '0.75', ({ atOnce }) => atOnce.result),
      row('one after the other: gateway', '', ({ oneByOne }) => oneByOne.gateway),
      row('one after the other: shim', '', ({ oneByOne }) => oneByOne.shim),
      row('one after the other: p50 µs', '1.25', ({ oneByOne }) => p50(oneByOne)),
      row(`${PACE_MS} ms apart: gateway`, '1.5', ({ atPace }) => atPace.gateway),
      row(`${PACE_MS} ms apart: shim`, '1.5', ({ atPace }) => atPace.shim),
      row(`${PACE_MS} ms apart: p50 µs`, '1.3', ({ atPace }) => p50(atPace)),
      row('shim and gateway, PSS MB', '130 MB', ({ pss }) => pss),
      row('shim, RSS MB', '65 MB', ({ rss }) => rss),
      row('start to the first result, ms', '', ({ cold }) => cold),
    ],
  );
  const cold = median(ours.map(({ cold: ms }) => ms)) / median(parseOnly);
  console.log(`\nstart to the first result, of that of a shim that only parses: ${figure(cold)} (goal 1.2)`);
}
