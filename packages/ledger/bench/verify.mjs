// Verifies a generated ledger with everything that belongs to it (hashes, columns, runs, pairs, claims, tree,
// head, heads.log, integrity_check) against a scan that only reads, and against sealed journal files of the
// same entries. In pairs, a scan before each verification, by processor time: neighbours of the machine slow
// down a wall clock. node bench/verify.mjs [rounds] [entries]
import { openDatabase } from '../dist/sqlite/open.js';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyLedger } from '../dist/index.js';
import { filled } from './fresh.mjs';
import { sealedJournal } from './journald.mjs';
import { count, median, ratio, table } from './measure.mjs';

const rounds = Number(process.argv[2] ?? 7);
const rows = Number(process.argv[3] ?? 60_000);
const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'subl-bench-'));

/** The floor: every entry's columns brought into JavaScript a page at a time, and nothing done with them. */
function scan(path) {
  const db = openDatabase(path, { readonly: true });
  const page = db
    .prepare(
      `SELECT group_concat(seq||char(31)||ts||char(31)||kind||char(31)||lower(hex(hash))||char(31)||body, char(30))
      FROM (SELECT seq, ts, kind, hash, body FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ? ORDER BY seq)`,
    )
    .pluck();
  let bytes = 0;
  for (let first = 1; ; first += 256) {
    const text = page.get(first, first + 255);
    if (text === null) break;
    bytes += text.length;
  }
  db.close();
  return bytes;
}

/** Milliseconds of the processor until every entry is checked, and until everything is. */
async function verify(places) {
  let checked = 0;
  const started = processor();
  const { path, headsLog } = places;
  const report = await verifyLedger(path, {
    headsLog,
    onProgress: () => (checked = processor()),
  });
  if (report.verdict !== 'ok') throw new Error(JSON.stringify(report));
  return { entries: checked - started, whole: processor() - started };
}

/** Milliseconds of the processor that this process has taken, its threads for garbage included. */
function processor() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function timed(work, clock) {
  const started = clock();
  work();
  return clock() - started;
}

const places = await filled(join(folder, 'home'), rows);
const journal = await sealedJournal(folder, places.path, rows);
const bytes = statSync(places.path).size;
console.log(`  ${count(rows)} entries, ${count(bytes / 1e6)} MB`);
const times = { scan: [], entries: [], one: [], journal: [] };
for (let round = 0; round < rounds; round += 1) {
  times.scan.push(timed(() => scan(places.path), processor));
  const { entries, whole } = await verify(places);
  times.entries.push(entries);
  times.one.push(whole);
  if (typeof journal === 'function') times.journal.push(timed(journal, () => performance.now()));
}
const names = [
  ['reading only', 'scan'],
  ['verify, up to the last entry', 'entries'],
  ['verify, integrity_check included', 'one'],
  ['journalctl --verify, sealed', 'journal'],
];
const lines = names
  .filter(([, key]) => times[key].length > 0)
  .map(([name, key]) => {
    const rates = times[key].map((ms) => (rows * 1000) / ms);
    const of = (base) =>
      times[base].length === 0
        ? '–'
        : ratio(
            rates,
            times[base].map((ms) => (rows * 1000) / ms),
          );
    return [name, count(median(rates)), (median(times[key]) / 1000).toFixed(2), of('scan'), of('journal')];
  });
table(['verify', 'entries/s', 'seconds', 'of reading', 'of journalctl'], lines);
if (typeof journal === 'string') console.log(`  journalctl --verify: skipped, ${journal}`);
rmSync(folder, { recursive: true, force: true });
