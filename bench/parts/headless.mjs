/**
 * How long calls of many runs take, alone and beside run-away agents in runs of their own, all on one
 * gateway.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHome } from '../home.mjs';
import { figure, median, percentile, table } from '../measure.mjs';

const agent = fileURLToPath(new URL('../../tests/ci/fixtures/agent.mjs', import.meta.url));
const server = fileURLToPath(new URL('../subjects/echo-server.mjs', import.meta.url));
/** An agent thinks between two calls; a run-away one does not. */
const THINKS_MS = 20;
const ENDLESS = 1_000_000;

/** The calls that run-away agents have in flight, one number for each of them. */
const SCENES = [
  { name: 'alone', wild: [] },
  { name: 'beside a run-away, one call after the other', wild: [1] },
  { name: 'beside a run-away, 32 calls in flight', wild: [32] },
  { name: 'beside two run-aways, 32 calls in flight each', wild: [32, 32] },
];
/** The same agents and servers on pipes, with nothing between them: what the processors alone cost. */
const WAYS = [
  { name: 'through the gateway', isDirect: false },
  { name: 'without it, server on a pipe', isDirect: true },
];

export async function headless({ short }) {
  const [runs, calls, rounds] = short ? [6, 60, 1] : [20, 200, 3];
  const taken = new Map();
  for (let at = 0; at < rounds; at += 1)
    for (const way of WAYS)
      for (const scene of SCENES) {
        const key = `${scene.name}, ${way.name}`;
        taken.set(key, [...(taken.get(key) ?? []), await round({ runs, calls, ...scene, ...way })]);
      }
  for (const way of WAYS) {
    const of = ({ name }) => taken.get(`${name}, ${way.name}`);
    const p50s = (scene) => of(scene).map(({ samples }) => percentile(samples, 0.5));
    const quiet = p50s(SCENES[0]);
    console.log();
    table(
      [`${way.name}: ${runs} runs of ${calls} calls, ms`, 'p50', 'p99', 'p50 / alone', 'run-away, calls/s'],
      SCENES.map((scene) => [
        scene.name,
        figure(median(p50s(scene))),
        figure(median(of(scene).map(({ samples }) => percentile(samples, 0.99)))),
        // Within a round: what the machine does besides changes from one to the next.
        figure(median(p50s(scene).map((p50, at) => p50 / quiet[at]))),
        scene.wild.length === 0 || way.isDirect ? '' : figure(median(of(scene).map(({ others }) => others))),
      ]),
    );
  }
}

async function round({ runs, calls, wild, isDirect }) {
  const home = openHome('fsync');
  const go = join(home.root, 'go');
  const start = isDirect ? startDirect : startRun;
  const children = [];
  try {
    home.up();
    const jobs = Array.from({ length: runs }, (_, at) => {
      const [ready, latencies] = ['ready', 'latencies'].map((name) => join(home.root, `${name}-${at}`));
      const steps = [{ tool: 'echo', args: { text: 'what an agent would send' }, times: calls }];
      return {
        ready,
        latencies,
        child: start(home, { steps, ready, latencies, wait: go, pauseMs: THINKS_MS }),
      };
    });
    const runAways = wild.map((flight, at) => {
      const ready = join(home.root, `wild-${at}`);
      const steps = [{ tool: 'echo', args: { text: 'again' }, times: ENDLESS }];
      return { ready, child: start(home, { steps, ready, wait: go, flight }) };
    });
    const all = [...jobs, ...runAways];
    children.push(...all.map(({ child }) => child));
    while (!all.every(({ ready }) => existsSync(ready)))
      await new Promise((resolve) => setTimeout(resolve, 50));
    const before = seqOf(home);
    const began = performance.now();
    writeFileSync(go, '');
    await Promise.all(jobs.map(({ child }) => ended(child)));
    const seconds = (performance.now() - began) / 1000;
    const entries = seqOf(home) - before;
    const samples = jobs.flatMap(({ latencies }) => JSON.parse(readFileSync(latencies, 'utf8')));
    if (samples.length !== runs * calls)
      throw new Error(`${samples.length} of ${runs * calls} calls were made`);
    // Three entries a call.
    return { samples, others: (entries / 3 - samples.length) / seconds };
  } finally {
    // With their agents: one that goes on would start another gateway for its shim.
    for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
    await Promise.all(children.map(ended));
    home.remove();
  }
}

async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

function startRun(home, script) {
  const shim = [process.execPath, home.sub, ...home.shimArgs('echo'), process.execPath, server];
  const command = [process.execPath, agent, JSON.stringify({ ...script, server: shim, quiet: true })];
  return spawn(process.execPath, [home.sub, 'run', '--home', home.home, '--', ...command], {
    stdio: 'ignore',
  });
}

function startDirect(_home, script) {
  const command = JSON.stringify({ ...script, server: [process.execPath, server], quiet: true });
  return spawn(process.execPath, [agent, command], { stdio: 'ignore' });
}

function seqOf(home) {
  return home.status().ledger.seq;
}
