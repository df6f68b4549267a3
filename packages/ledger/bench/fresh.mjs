import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLedger, openLedger } from '../dist/index.js';
import { groupOf, schedule } from './rows.mjs';

const { privateKey } = generateKeyPairSync('ed25519');

/** Everything that belongs to one ledger in its own folder. */
export function placesIn(folder) {
  return {
    path: join(folder, 'ledger.db'),
    headsLog: join(folder, 'memory', 'heads.log'),
    sealKeyPath: join(folder, 'seal'),
  };
}

/** Makes an empty ledger in `folder` and says where everything of it is. */
export function createFresh(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const places = placesIn(folder);
  const { path, sealKeyPath } = places;
  createLedger({
    path,
    sealKeyPath,
    ledgerId: 'bench',
    createdMs: 0,
    version: '0.1.0',
    signingKey: privateKey,
  });
  return places;
}

/** Opens it for writing. */
export function openAt(places, { durability = 'fsync' } = {}) {
  return openLedger({ ...places, signingKey: { privateKey }, durability, clock: Date.now });
}

/** Appends calls of `groups` a commit until the ledger holds about `rows` entries. */
export async function fill(ledger, rows, groups = 256) {
  const decisions = new Map();
  for (let index = 0; ledger.head().seq < rows; index += 1) {
    const steps = [...schedule(index, groups)];
    const wave = steps.map((step) => ledger.append(groupOf(step, decisions.get(step.call))));
    for (const [at, result] of (await Promise.all(wave)).entries()) {
      if (!steps[at].ends) decisions.set(steps[at].call, result.entries[1].seq);
      else decisions.delete(steps[at].call);
    }
  }
}

/** A ledger of `rows` entries, written without waiting for the disk; returns its places. */
export async function filled(folder, rows) {
  const places = createFresh(folder);
  const ledger = await openAt(places, { durability: 'process' });
  await fill(ledger, rows);
  await ledger.close();
  return places;
}
