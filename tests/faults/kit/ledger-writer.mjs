// Writes to a ledger in waves of 32; what is refused is tried again until it is taken. Notes each entry once
// its append has resolved: "<seq> <leaf>".
import { createPrivateKey } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openLedger } from '@subluminal/ledger';

const [path, headsLog, sealKeyPath, key, durability, notes, waves, segmentBytes] = process.argv.slice(2);
const WAVES = Number(waves);
const WAVE = 32;
const TRIES = 100;
const privateKey = createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' });
const noted = openSync(notes, 'a');
const ledger = await openLedger({
  path,
  headsLog,
  sealKeyPath,
  durability,
  signingKey: { privateKey },
  clock: Date.now,
  segmentBytes: Number(segmentBytes),
});

async function append(entry) {
  for (let left = TRIES; ; left -= 1) {
    try {
      const { entries } = await ledger.append({ entries: [entry] });
      writeSync(noted, entries.map(({ seq, leaf }) => `${seq} ${leaf}\n`).join(''));
      return;
    } catch (error) {
      if (error.code !== 'audit_unavailable' || left === 0) throw error;
      await pause(20);
    }
  }
}

for (let wave = 0; wave < WAVES; wave += 1) {
  const entries = Array.from({ length: WAVE }, (_, i) => ({
    type: 'shim_health',
    ts: wave,
    runId: 'r',
    data: { i },
  }));
  await Promise.all(entries.map(append));
}
await ledger.close();
