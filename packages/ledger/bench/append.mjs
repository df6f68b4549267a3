// Appends against the same rows and indexes without hashes, interleaved in one process. Quote the ratios.
// node bench/append.mjs [repetitions] [rows]
import Database from 'better-sqlite3';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger, KINDS, openLedger } from '../dist/index.js';
import { SCHEMA } from '../dist/schema/ddl.js';
import { groupOf, median, schedule } from './rows.mjs';

const repetitions = Number(process.argv[2] ?? 3);
const rows = Number(process.argv[3] ?? 12_000);
const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'subl-bench-'));
const { privateKey } = generateKeyPairSync('ed25519');
const RP = '0'.repeat(64);
let files = 0;

/** One transaction a batch, as the naive recorder would write them: no chain, no tree, no guards. */
async function raw(groups, total) {
  const db = new Database(join(folder, `raw${(files += 1)}.db`));
  db.pragma('journal_mode=WAL');
  db.pragma('synchronous=FULL');
  for (const sql of SCHEMA) if (!sql.startsWith('CREATE TRIGGER')) db.exec(sql);
  const insert = db.prepare('INSERT INTO entry VALUES(?,?,?,?,?,?,?,?,?)');
  const claim = db.prepare('INSERT INTO seen VALUES(?,?,?)');
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
  const hash = Buffer.alloc(32);
  const numbers = new Map();
  const numberOf = (name) => numbers.get(name) ?? (numbers.set(name, numbers.size + 1), numbers.size);
  const decisions = new Map();
  let seq = 0;
  const started = performance.now();
  for (let index = 0; seq < total; index += 1) {
    begin.run();
    for (const step of schedule(index, groups)) {
      const group = groupOf(step, decisions.get(step.call));
      for (const entry of group.entries) {
        seq += 1;
        const { ts, type, code, ref, tool, data, runId } = entry;
        const at = ref ?? (type === 'tool_call_decision' ? seq - 1 : null);
        const fields = { code, data, ref: at, ri: 1, rp: RP, run_id: runId, tool, ts, type, v: 1 };
        const number = code === undefined ? 0 : code === 'OK' ? 10 : 1;
        const [run, name] = [numberOf(runId), numberOf(tool[1])];
        insert.run(seq, ts, run, at, KINDS[type], number, name, JSON.stringify(fields), hash);
      }
      if (group.seen !== undefined) claim.run(numberOf(group.seen.runId), group.seen.id, seq);
      if (!step.ends) decisions.set(step.call, seq);
      else decisions.delete(step.call);
    }
    commit.run();
  }
  const seconds = (performance.now() - started) / 1000;
  db.close();
  return seq / seconds;
}

async function ledger(groups, total, writer) {
  const path = join(folder, `ledger${(files += 1)}.db`);
  createLedger({ path, ledgerId: 'bench', createdMs: 0, version: '0.1.0', signingKey: privateKey });
  const open = await openLedger({
    path,
    signingKey: { privateKey },
    headsLog: `${path}.heads`,
    durability: 'fsync',
    clock: Date.now,
    writer,
  });
  const decisions = new Map();
  const started = performance.now();
  for (let index = 0; open.head().seq < total; index += 1) {
    const steps = [...schedule(index, groups)];
    const wave = steps.map((step) => open.append(groupOf(step, decisions.get(step.call))));
    for (const [at, result] of (await Promise.all(wave)).entries()) {
      if (!steps[at].ends) decisions.set(steps[at].call, result.entries[1].seq);
      else decisions.delete(steps[at].call);
    }
  }
  const { seq } = open.head();
  const seconds = (performance.now() - started) / 1000;
  await open.close();
  return seq / seconds;
}

console.log(`${rows} rows, ${repetitions} repetitions, ${folder}`);
for (const batch of [1, 22, 86, 256]) {
  const total = batch === 1 ? Math.min(rows, 6000) : rows;
  const results = { raw: [], inline: [], worker: [] };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    results.raw.push(await raw(batch, total));
    results.inline.push(await ledger(batch, total, 'inline'));
    results.worker.push(await ledger(batch, total, 'worker'));
  }
  const base = median(results.raw);
  const cells = Object.entries(results).map(([name, values]) => {
    const rate = median(values);
    return `${name} ${Math.round(rate).toLocaleString('en')} rows/s (${(rate / base).toFixed(2)})`;
  });
  console.log(`${String(batch === 1 ? 1 : batch * 1.5).padStart(4)} rows a commit  ${cells.join('  ')}`);
}
rmSync(folder, { recursive: true, force: true });
