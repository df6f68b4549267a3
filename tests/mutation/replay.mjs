/**
 * Asks one bundle, in which every mutant waits behind a switch, about every kept case: `node replay.mjs CASES ID:GROUPS…`; with `check` in
 * place of the mutants it leaves in the file what comes out as it was kept.
 * Prints `<id> <how> <number of the case>` for each mutant: `verdict` where the verdict, the class of the finding, its
 * entry or the answer of a call is another, `report` where something else of a report is, `survived` where nothing is.
 */
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { packed, unpacked } from './pack.mjs';

const [casesFile, ...ids] = process.argv.slice(2);
const { OneThread, Threads, verifyWith, verifyLedger, calls } =
  await import('../../packages/ledger/dist/mutants/ledger.mjs');
const WORKER = new URL('../../packages/ledger/dist/mutants/verify-worker-main.mjs', import.meta.url);
/** Processor time that no mutant needs for all the cases: what takes more will never end. */
const MOST_CPU_US = 6_000_000;
/** Longer than any of the kept ledgers takes. */
const STUCK_MS = 20_000;
const progress = new Int32Array(new SharedArrayBuffer(4));
const cases = JSON.parse(readFileSync(casesFile, 'utf8'));

if (ids[0] === 'check') {
  const good = [];
  for (const one of cases) {
    if (one.threads === 'only') one.report.areThreads = true;
    if ((await outcome(one)) === 'same') good.push(one);
  }
  writeFileSync(casesFile, JSON.stringify(good));
} else {
  watch();
  const orders = new Map();
  for (const one of ids) {
    const [id, groups] = one.split(':');
    const order = orders.get(groups) ?? [...cases.keys()].filter((at) => groups.includes(groupOf(cases[at])));
    orders.set(groups, order);
    Atomics.add(progress, 0, 1);
    globalThis.subMutant = Number(id);
    // Threads get the environment, and nothing else, from here.
    process.env.SUB_MUTANT = id;
    let weak = -1;
    let red = -1;
    for (const [place, at] of order.entries()) {
      const how = await outcome(cases[at]);
      if (how === 'report' && weak === -1) weak = at;
      if (how !== 'verdict') continue;
      red = at;
      // What killed one mutant often kills its neighbour.
      order.splice(place, 1);
      order.unshift(at);
      break;
    }
    const how = red !== -1 ? `verdict ${red}` : weak === -1 ? 'survived' : `report ${weak}`;
    writeSync(1, `${id} ${how}\n`);
  }
}
process.exit(0);

/** Ends the process from another thread over a mutant that never ends: this one would not hear a timer. */
function watch() {
  const text = `
    const { progress, most } = require('node:worker_threads').workerData;
    let [at, from] = [0, process.cpuUsage()];
    setInterval(() => {
      const { user, system } = process.cpuUsage(from);
      if (Atomics.load(progress, 0) !== at) [at, from] = [Atomics.load(progress, 0), process.cpuUsage()];
      else if (user + system > most) process.kill(process.pid, 'SIGKILL');
    }, 100);`;
  new Worker(text, { eval: true, workerData: { progress, most: MOST_CPU_US } }).unref();
}

function groupOf({ call, threads }) {
  if (call !== undefined) return 'calls';
  return threads === undefined ? 'ledgers' : 'threads';
}

async function outcome(one) {
  try {
    return one.call === undefined ? await verified(one) : answered(one);
  } catch {
    return 'verdict';
  }
}

function answered({ call, args, answer }) {
  return packed(calls[call](...unpacked(args))) === answer ? 'same' : 'verdict';
}

async function verified({ path, options, report, threads }) {
  const said = await inTime(
    threads === undefined
      ? verifyWith(new OneThread(), path, options)
      : threads === 'again'
        ? verifyLedger(path, { ...options, threads: 2, workerUrl: WORKER })
        : inThreads(path, options),
  );
  if (short(said) !== short(report)) return 'verdict';
  return JSON.stringify(said) === JSON.stringify(report) ? 'same' : 'report';
}

async function inThreads(path, options) {
  const threads = new Threads(WORKER, 1);
  const report = await verifyWith(threads, path, options);
  return { ...report, areThreads: threads.areThreads };
}

function short({ verdict, exit, finding, areThreads }) {
  return JSON.stringify([verdict, exit, finding?.class, finding?.seq, areThreads]);
}

async function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not end')), STUCK_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
