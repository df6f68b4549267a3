// Appends to a ledger until it is killed, and notes each entry in a file once its append has resolved: "<seq>
// <leaf>".
import { createPrivateKey } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { openLedger } from '../dist/index.js';

const [path, headsLog, sealKeyPath, keyFile, runId, notes] = process.argv.slice(2);
const signingKey = {
  privateKey: createPrivateKey({ key: Buffer.from(keyFile, 'base64'), format: 'der', type: 'pkcs8' }),
};
const noted = openSync(notes, 'a');
const ledger = await openLedger({
  path,
  headsLog,
  signingKey,
  sealKeyPath,
  durability: 'process',
  clock: Date.now,
});

async function actor(number) {
  for (let turn = 0; ; turn += 1) {
    const base = { ts: Date.now(), runId: `${runId}-${number}` };
    const pending = {
      ...base,
      type: 'action_pending',
      tool: 'service.api_call',
      code: 'pending',
      data: { turn },
    };
    const begun = await ledger.append({
      entries: [pending],
      seen: { runId: base.runId, id: `request-${turn}` },
    });
    report(begun.entries);
    if (number % 3 === 0) continue;
    const result = { ...pending, type: 'action_result', code: 'success', ref: begun.entries[0].seq };
    report((await ledger.append({ entries: [result] })).entries);
  }
}

function report(entries) {
  writeSync(noted, entries.map(({ seq, leaf }) => `${seq} ${leaf}\n`).join(''));
}

await Promise.all(Array.from({ length: 8 }, (_, number) => actor(number)));
