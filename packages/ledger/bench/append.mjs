// Appends against the same rows and indexes without hashes, interleaved in one process. Quote the ratios.
// node bench/append.mjs [rounds] [rows] [delays in ms, comma-separated] [groups a commit, likewise]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFresh, openAt } from './fresh.mjs';
import { count, median, percentile, ratio, table } from './measure.mjs';
import { NaiveRecorder } from './naive.mjs';
import { actionOf, schedule } from './rows.mjs';
import { onEachDisk } from './slow-disk.mjs';

const rounds = Number(process.argv[2] ?? 7);
const rows = Number(process.argv[3] ?? 24_000);
const delays = (process.argv[4] ?? '0,0.5,2,10').split(',').map(Number);
const BATCHES = (process.argv[5] ?? '1,32,128,512').split(',').map(Number);

if (!onEachDisk(delays)) {
  const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'subl-bench-'));
  let files = 0;

  /** Feeds `total` one-entry groups in commits of `batch`; `commit` gives the seq of each. */
  const feed = async (batch, total, commit) => {
    const pendings = new Map();
    const times = [];
    let done = 0;
    const started = performance.now();
    for (let index = 0; done < total; index += 1) {
      const steps = [...schedule(index, batch)];
      const groups = steps.map((step) => actionOf(step, pendings.get(step.call)));
      const from = performance.now();
      const seqs = await commit(groups);
      times.push(performance.now() - from);
      for (const [at, seq] of seqs.entries()) {
        if (steps[at].ends) pendings.delete(steps[at].call);
        else pendings.set(steps[at].call, seq);
      }
      done += groups.length;
    }
    const seconds = (performance.now() - started) / 1000;
    return { rate: done / seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99), done };
  };

  const naive = async (batch, total) => {
    const path = join(folder, `naive${(files += 1)}.db`);
    const recorder = new NaiveRecorder(path);
    const result = await feed(batch, total, async (groups) => recorder.commit(groups));
    recorder.close();
    return { ...result, bytes: statSync(path).size / result.done };
  };

  const ledger = async (batch, total) => {
    const places = createFresh(join(folder, `ledger${(files += 1)}`));
    const open = await openAt(places);
    const result = await feed(batch, total, async (groups) => {
      const answers = await Promise.all(groups.map((group) => open.append(group)));
      return answers.map(({ entries }) => entries.at(-1).seq);
    });
    await open.close();
    return { ...result, bytes: statSync(places.path).size / result.done };
  };

  const lines = [];
  for (const batch of BATCHES) {
    const delay = Number(process.env.SLOWSYNC_US) / 1e6;
    const total = Math.min(
      rows,
      batch === 1 ? rows / 4 : rows,
      Math.max(40 * batch, (1.5 * batch) / (delay + 1e-9)),
    );
    const subjects = {
      'SQLite, the same rows': () => naive(batch, total),
      ledger: () => ledger(batch, total),
    };
    const results = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, measure] of Object.entries(subjects)) results[name].push(await measure());
    }
    const base = results['SQLite, the same rows'].map(({ rate }) => rate);
    for (const [name, measured] of Object.entries(results)) {
      const rates = measured.map(({ rate }) => rate);
      const commit = ['p50', 'p99'].map((key) => count(median(measured.map((one) => one[key] * 1000))));
      const bytes = count(median(measured.map((one) => one.bytes)));
      lines.push([
        `${batch} a commit: ${name}`,
        count(median(rates)),
        ratio(rates, base),
        commit.join(' / '),
        bytes,
      ]);
    }
  }
  table(['entries', 'a second', 'of SQLite', 'commit p50 / p99 µs', 'bytes an entry'], lines);
  rmSync(folder, { recursive: true, force: true });
}
