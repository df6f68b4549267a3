/** How long calls of many runs take, alone and beside a run-away agent in a run of its own, all on one gateway. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHome } from '../home.mjs';
import { figure, percentile, table } from '../measure.mjs';

const agent = fileURLToPath(new URL('../../tests/ci/fixtures/agent.mjs', import.meta.url));
const server = fileURLToPath(new URL('../subjects/echo-server.mjs', import.meta.url));
/** An agent thinks between two calls; a run-away one does not, and has many of them at once. */
const THINKS_MS = 20;
const RUN_AWAY = { flight: 64, times: 1_000_000 };

export async function headless({ short }) {
  const [runs, calls] = short ? [6, 60] : [20, 200];
  const alone = await round(runs, calls, false);
  const beside = await round(runs, calls, true);
  const row = (name, { samples, others }) => [
    name,
    figure(percentile(samples, 0.5)),
    figure(percentile(samples, 0.99)),
    others === undefined ? '' : `${figure(others)}/s`,
  ];
  const [quiet, loud] = [alone, beside].map(({ samples }) => percentile(samples, 0.5));
  table(
    [`${runs} runs of ${calls} calls, ms a call`, 'p50', 'p99', 'calls of the run-away'],
    [
      row('alone', alone),
      row('beside a run-away agent', beside),
      ['beside / alone', figure(loud / quiet), '', ''],
    ],
  );
}

async function round(runs, calls, hasRunAway) {
  const home = openHome('fsync');
  const go = join(home.root, 'go');
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
    const wild = join(home.root, 'wild');
    const runAway = hasRunAway
      ? start(home, {
          steps: [{ tool: 'echo', args: { text: 'again' }, times: RUN_AWAY.times }],
          ready: wild,
          wait: go,
          flight: RUN_AWAY.flight,
        })
      : undefined;
    children.push(...jobs.map(({ child }) => child), ...(runAway === undefined ? [] : [runAway]));
    const marks = [...jobs.map(({ ready }) => ready), ...(hasRunAway ? [wild] : [])];
    while (!marks.every((mark) => existsSync(mark))) await new Promise((resolve) => setTimeout(resolve, 50));
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
    return { samples, others: hasRunAway ? (entries / 3 - samples.length) / seconds : undefined };
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
    home.remove();
  }
}

async function ended(child) {
  if (child.exitCode === null) await once(child, 'exit');
}

function start(home, script) {
  const shim = [process.execPath, home.sub, ...home.shimArgs('echo'), process.execPath, server];
  const command = [process.execPath, agent, JSON.stringify({ ...script, server: shim, quiet: true })];
  return spawn(process.execPath, [home.sub, 'run', '--home', home.home, '--', ...command], {
    stdio: 'ignore',
  });
}

function seqOf(home) {
  return home.status().ledger.seq;
}
