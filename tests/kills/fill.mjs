/**
 * Writes calls into the ledger of a home, with the home's own keys, until it has so many entries: `node
 * fill.mjs LEDGER LOG_KEY SEAL_KEY HEADS_LOG ENTRIES [RUN [SEGMENT_BYTES [CHARGE]]]`. RUN makes all the
 * calls, where it is given; otherwise 64 runs that nobody knows do. With SEGMENT_BYTES the ledger goes on in
 * another file; 0 is never. CHARGE is what each decision has charged, as JSON.
 */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openLedger } from '@subluminal/ledger';
import { groupOf, schedule } from '../../packages/ledger/bench/rows.mjs';

const GROUPS_A_COMMIT = 256;
const [path, logKey, sealKeyPath, headsLog, wanted, run, segmentBytes = '0', charge] = process.argv.slice(2);

const ledger = await openLedger({
  path,
  signingKey: { privateKey: createPrivateKey(readFileSync(logKey)) },
  sealKeyPath,
  headsLog,
  durability: 'process',
  clock: Date.now,
  ...(segmentBytes === '0' ? {} : { segmentBytes: Number(segmentBytes) }),
});
const decisions = new Map();
for (let index = 0; ledger.head().seq < Number(wanted); index += 1) {
  await Promise.all([...schedule(index, GROUPS_A_COMMIT)].map(write));
}
await ledger.close();

async function write(step) {
  const result = await ledger.append(ofRun(groupOf(step, decisions.get(step.call))));
  if (!result.ok) throw new Error('a group was refused');
  if (step.ends) decisions.delete(step.call);
  else decisions.set(step.call, result.entries[1].seq);
}

function ofRun(group) {
  if (run === undefined) return group;
  const entries = group.entries.map((entry) => ({ ...entry, data: withFacts(entry), runId: run }));
  return { ...group, entries, ...(group.seen === undefined ? {} : { seen: { ...group.seen, runId: run } }) };
}

function withFacts({ type, data }) {
  if (charge === undefined || type !== 'tool_call_decision') return data;
  return { ...data, facts: { charge: JSON.parse(charge) } };
}
