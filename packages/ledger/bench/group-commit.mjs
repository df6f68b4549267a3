// Actions whose pending entry has to be on the disk before they run, with K of them at once: group commit
// against a transaction for every entry. node bench/group-commit.mjs [rounds] [ms a measurement] [delays in
// ms] [callers]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFresh, openAt } from './fresh.mjs';
import { count, median, millis, percentile, ratio, table } from './measure.mjs';
import { NaiveRecorder } from './naive.mjs';
import { actionOf } from './rows.mjs';
import { onEachDisk } from './slow-disk.mjs';

const rounds = Number(process.argv[2] ?? 7);
const span = Number(process.argv[3] ?? 400);
const delays = (process.argv[4] ?? '0,2,10').split(',').map(Number);
const callers = (process.argv[5] ?? '1,32,128').split(',').map(Number);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** `append` gives the seq of the one entry of a group. */
async function measure(inFlight, append) {
  const latency = [];
  let next = 0;
  let actions = 0;
  const beat = heartbeat();
  const started = performance.now();
  const caller = async () => {
    while (performance.now() - started < span) {
      const call = (next += 1);
      const from = performance.now();
      const seq = await append(actionOf({ call, ends: false }));
      latency.push(performance.now() - from);
      await nextTurn();
      await append(actionOf({ call, ends: true }, seq));
      actions += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const seconds = (performance.now() - started) / 1000;
  const late = beat.stop();
  return {
    rate: actions / seconds,
    p50: percentile(latency, 0.5),
    p99: percentile(latency, 0.99),
    loop: percentile(late, 0.99),
  };
}

/** How much later than asked for a timer of a millisecond fires, again and again. */
function heartbeat() {
  const late = [];
  let last = performance.now();
  const beat = () => {
    const now = performance.now();
    late.push(Math.max(0, now - last - 1));
    last = now;
  };
  const timer = setInterval(beat, 1);
  return {
    stop() {
      clearInterval(timer);
      beat();
      return late;
    },
  };
}

if (!onEachDisk(delays)) {
  const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'subl-bench-'));
  let files = 0;
  const naive = async (inFlight) => {
    const recorder = new NaiveRecorder(join(folder, `naive${(files += 1)}.db`));
    const result = await measure(inFlight, async (group) => recorder.commit([group])[0]);
    recorder.close();
    return result;
  };
  const ledger = async (inFlight) => {
    const open = await openAt(createFresh(join(folder, `ledger${(files += 1)}`)));
    const result = await measure(inFlight, async (group) => (await open.append(group)).entries[0].seq);
    await open.close();
    return result;
  };

  const lines = [];
  for (const inFlight of callers) {
    const modes = ['one transaction an entry', 'group commit'];
    const results = Object.fromEntries(modes.map((mode) => [mode, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const mode of modes) {
        const naively = mode === 'one transaction an entry';
        results[mode].push(naively ? await naive(inFlight) : await ledger(inFlight));
      }
    }
    const base = results[modes[0]].map(({ rate }) => rate);
    for (const [mode, measured] of Object.entries(results)) {
      const of = (key) => median(measured.map((one) => one[key]));
      const pending = `${millis(of('p50'))} / ${millis(of('p99'))}`;
      const times = ratio(
        measured.map(({ rate }) => rate),
        base,
      );
      lines.push([`${inFlight} at once: ${mode}`, count(of('rate')), times, pending, millis(of('loop'))]);
    }
  }
  table(['actions', 'a second', 'times', 'pending p50 / p99 ms', 'event loop p99 ms'], lines);
  rmSync(folder, { recursive: true, force: true });
}
