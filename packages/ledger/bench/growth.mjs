// Measures a ledger that has grown: opening it, one commit, one run's entries, a page of the newest. A
// small ledger and a large one, side by side. node bench/growth.mjs [rounds] [entries of the large one]
import { openDatabase } from '../dist/sqlite/open.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MerkleTree, openLedgerReader } from '../dist/index.js';
import { filled, openAt } from './fresh.mjs';
import { count, median, millis, percentile, table } from './measure.mjs';
import { actionOf } from './rows.mjs';

const rounds = Number(process.argv[2] ?? 7);
const sizes = [1000, Number(process.argv[3] ?? 1_000_000)];
const COMMITS = 300;
const QUERIES = 200;
const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'subl-bench-'));
let calls = 1e9;

async function measure(places) {
  const opening = performance.now();
  const ledger = await openAt(places);
  const opened = performance.now();
  ledger.danglingPendings();
  const looked = performance.now();
  const commits = [];
  for (let at = 0; at < COMMITS; at += 1) {
    const call = (calls += 1);
    const from = performance.now();
    const { entries } = await ledger.append(actionOf({ call, ends: false }));
    commits.push(performance.now() - from);
    await ledger.append(actionOf({ call, ends: true }, entries[0].seq));
  }
  await ledger.close();

  const reader = openLedgerReader(places.path);
  const runs = [];
  for (let at = 0; at < QUERIES; at += 1) {
    const id = `01J8Z${String(at % 64).padStart(21, '0')}`;
    const from = performance.now();
    reader.byRun(id, { limit: 100 });
    runs.push(performance.now() - from);
  }
  const from = performance.now();
  reader.recent(50);
  const recent = performance.now() - from;
  reader.close();

  const db = openDatabase(places.path, { readonly: true });
  const tree = new MerkleTree(db);
  const { size } = tree;
  const proofs = [];
  for (let at = 0; at < QUERIES; at += 1) {
    const index = (at * 7919) % size;
    const asked = performance.now();
    tree.inclusion(index, size);
    proofs.push(performance.now() - asked);
  }
  db.close();
  return {
    proof: percentile(proofs, 0.5),
    open: opened - opening,
    dangling: looked - opened,
    p50: percentile(commits, 0.5),
    p99: percentile(commits, 0.99),
    run: percentile(runs, 0.5),
    runP99: percentile(runs, 0.99),
    recent,
  };
}

const ledgers = [];
for (const size of sizes) ledgers.push(await filled(join(folder, String(size)), size));
const results = sizes.map(() => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [at, places] of ledgers.entries()) results[at].push(await measure(places));
}
const rows = [
  ['opening it, with its end re-hashed', 'open'],
  ['what is open without a result', 'dangling'],
  ['a commit of one entry, p50', 'p50'],
  ['a commit of one entry, p99', 'p99'],
  ['100 entries of a run, p50', 'run'],
  ['100 entries of a run, p99', 'runP99'],
  ['the newest 50 entries', 'recent'],
  ['an inclusion proof, p50', 'proof'],
].map(([name, key]) => {
  const [small, large] = results.map((measured) => median(measured.map((one) => one[key])));
  return [name, millis(small), millis(large), (large / small).toFixed(2)];
});
table(['ms', ...sizes.map((size) => `${count(size)} entries`), 'ratio'], rows);
rmSync(folder, { recursive: true, force: true });
