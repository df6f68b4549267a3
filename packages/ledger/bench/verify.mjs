// Verifies a generated ledger, everything included (root, heads.log, integrity_check). node bench/verify.mjs [repetitions] [rows]
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger, openLedger, verifyLedger } from '../dist/index.js';
import { groupOf, median, schedule } from './rows.mjs';

const repetitions = Number(process.argv[2] ?? 3);
const rows = Number(process.argv[3] ?? 60_000);
const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'subl-bench-'));
const path = join(folder, 'ledger.db');
const headsLog = join(folder, 'state', 'heads.log');
const { privateKey } = generateKeyPairSync('ed25519');

createLedger({ path, ledgerId: 'bench', createdMs: 0, version: '0.1.0', signingKey: privateKey });
const ledger = await openLedger({
  path,
  headsLog,
  signingKey: { privateKey },
  durability: 'process',
  clock: Date.now,
  writer: 'inline',
});
const decisions = new Map();
for (let index = 0; ledger.head().seq < rows; index += 1) {
  const steps = [...schedule(index, 256)];
  const wave = steps.map((step) => ledger.append(groupOf(step, decisions.get(step.call))));
  for (const [at, result] of (await Promise.all(wave)).entries()) {
    if (!steps[at].ends) decisions.set(steps[at].call, result.entries[1].seq);
    else decisions.delete(steps[at].call);
  }
}
await ledger.close();

// Entries: hashes, columns, runs, pairing, claims, blobs, tree. Whole: SQLite's integrity_check of every index as well.
const rates = { entries: [], whole: [] };
for (let repetition = 0; repetition < repetitions; repetition += 1) {
  let checked = 0;
  const started = performance.now();
  const report = await verifyLedger(path, { headsLog, onProgress: () => (checked = performance.now()) });
  if (report.verdict !== 'ok') throw new Error(JSON.stringify(report));
  rates.entries.push((report.entries * 1000) / (checked - started));
  rates.whole.push((report.entries * 1000) / (performance.now() - started));
}
for (const [name, values] of Object.entries(rates)) {
  console.log(
    `${name.padEnd(8)} ${Math.round(median(values)).toLocaleString('en')} entries/s on one core, of ${rows}`,
  );
}
rmSync(folder, { recursive: true, force: true });
