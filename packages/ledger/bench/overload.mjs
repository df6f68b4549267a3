// Ten times as many calls as the ledger can take, for a while: what it accepted stands, what it could not was
// refused at once, and its memory is bounded. node bench/overload.mjs [seconds]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import { verifyLedger } from '../dist/index.js';
import { createFresh, openAt } from './fresh.mjs';
import { count, table } from './measure.mjs';
import { groupOf } from './rows.mjs';

const seconds = Number(process.argv[2] ?? 60);
const TICK_MS = 50;
const PREVIEW = 'what a tool answered, shortened\n'.repeat(64);
const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'subl-bench-'));
const places = createFresh(folder);
const ledger = await openAt(places);

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const withPreview = (group) => {
  const [first, ...rest] = group.entries;
  return { ...group, entries: [{ ...first, blobs: { 'call.preview.args_preview': PREVIEW } }, ...rest] };
};

let calls = 0;
/** What it takes when nobody asks for more: calls a second with 256 callers. */
async function capacity(ms) {
  const until = performance.now() + ms;
  const from = calls;
  const caller = async () => {
    while (performance.now() < until) {
      const call = (calls += 1);
      const { entries } = await ledger.append(withPreview(groupOf({ call, ends: false })));
      await ledger.append(groupOf({ call, ends: true }, entries[1].seq));
    }
  };
  await Promise.all(Array.from({ length: 256 }, caller));
  return (calls - from) / (ms / 1000);
}

const rate = await capacity(Math.min(3000, seconds * 500));
global.gc?.();
const before = process.memoryUsage.rss();
const decided = new Map();
const tally = { offered: 0, accepted: 0, refused: 0, other: 0 };
/** A call that is begun, or refused; what is accepted runs and has to be ended. */
async function begin(call) {
  try {
    const { entries } = await ledger.append(withPreview(groupOf({ call, ends: false })));
    tally.accepted += 1;
    decided.set(call, entries[1].seq);
  } catch (error) {
    tally[isSublError(error, 'overloaded') ? 'refused' : 'other'] += 1;
  }
}

let most = before;
let owed = 0;
let last = performance.now();
const until = last + seconds * 1000;
while (performance.now() < until) {
  const now = performance.now();
  owed += ((now - last) / 1000) * rate * 10;
  last = now;
  for (; owed >= 1; owed -= 1) {
    const call = (calls += 1);
    tally.offered += 1;
    void begin(call);
    if (performance.now() - now > TICK_MS) break;
  }
  owed = Math.min(owed, rate);
  // The ends of what runs: they have to get in as well, or nothing would ever be reported.
  for (const [call, seq] of [...decided].slice(0, 64)) {
    decided.delete(call);
    ledger.append(groupOf({ call, ends: true }, seq)).catch(() => decided.set(call, seq));
  }
  most = Math.max(most, process.memoryUsage.rss());
  await nextTurn();
}
while (decided.size > 0 || ledger.queueDepth > 0) {
  for (const [call, seq] of [...decided].slice(0, 256)) {
    decided.delete(call);
    ledger.append(groupOf({ call, ends: true }, seq)).catch(() => decided.set(call, seq));
  }
  await nextTurn();
}
await ledger.close();
const report = await verifyLedger(places.path, { headsLog: places.headsLog });
const answered = tally.accepted + tally.refused + tally.other;
table(
  ['overload', 'value'],
  [
    ['calls a second that it takes', count(rate)],
    ['calls a second offered', count(tally.offered / seconds)],
    ['accepted', count(tally.accepted)],
    ['refused as overloaded', count(tally.refused)],
    ['lost, or failed otherwise', count(tally.offered - answered + tally.other)],
    ['accepted without a result in the ledger', count(report.open)],
    ['verify', report.verdict],
    ['memory grew by at most MB', count((most - before) / 1e6)],
  ],
);
rmSync(folder, { recursive: true, force: true });
process.exitCode = report.verdict === 'ok' && tally.other === 0 && report.open === 0 ? 0 : 1;
