import { sha256Hex, preimage } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { NO_LEAF } from '../../src/entry/format.js';
import { closesEffect, KINDS, opensEffect } from '../../src/entry/kinds.js';
import { signCheckpoint } from '../../src/head/note.js';
import { Frontier } from '../../src/merkle/frontier.js';
import { tileCounts } from '../../src/merkle/tiles.js';
import { readBase } from '../../src/segments/base.js';
import { keyText, signSeal } from '../../src/seal/record.js';
import { SIGNING_KEY, withoutTriggers, writeKeyFile } from '../scratch.js';
import type { Copy } from './book.js';
import { leafOfBase, LEDGER_ID, tipsBefore } from './rewrite.js';

/** What a thief has. */
export interface Stolen {
  readonly log: KeyObject;
  /** The seal key in force when the theft happened. */
  readonly seal: KeyObject;
}

/** All keys of a home: the log key, and the seal key of this moment. */
export function steal(copy: Copy): Stolen {
  return { log: SIGNING_KEY, seal: createPrivateKey(readFileSync(copy.sealKey)) };
}

interface Row {
  readonly seq: number;
  readonly run: number | null;
  readonly kind: number;
  readonly code: number;
  readonly ref: number | null;
  readonly body: string;
  readonly hash: Buffer;
}

/**
 * The most that somebody with the database and the keys can do: makes everything from entry `from` on agree
 * with itself again (hashes, run chains, seals, tiles, head) and signs it with what was stolen. Later seal
 * keys are the thief's own; `inForce` where `change` has brought one.
 */
export function forge(
  copy: Copy,
  from: number,
  keys: Stolen,
  change: (db: Database) => void,
  inForce?: KeyObject,
): void {
  copy.edit((db) =>
    withoutTriggers(db, () => {
      change(db);
      const seal = resign(db, from, keys, inForce);
      writeKeyFile(copy.sealKey, seal);
    }),
  );
}

function resign(db: Database, from: number, keys: Stolen, inForce: KeyObject | undefined): KeyObject {
  const base = readBase(db);
  const frontier = base?.frontier.clone() ?? new Frontier();
  const tips = tipsBefore(db);
  const open = new Set(
    db.prepare<[], number>('SELECT seq FROM carried WHERE kind IN (3, 20) ORDER BY seq').pluck().all(),
  );
  const tile = db.prepare('INSERT INTO tile VALUES(?, ?, ?)');
  const update = db.prepare('UPDATE entry SET body = ?, hash = ? WHERE seq = ?');
  let leaf = leafOfBase(db);
  let { seal } = keys;
  const rows = db
    .prepare<[], Row>('SELECT seq, run, kind, code, ref, body, hash FROM entry ORDER BY seq')
    .all();
  db.transaction(() => {
    const copied = tileCounts(frontier.size);
    db.prepare('DELETE FROM tile WHERE idx >= CASE lvl WHEN 1 THEN ? WHEN 2 THEN ? ELSE 0 END').run(
      copied[0] ?? 0,
      copied[1] ?? 0,
    );
    for (const row of rows) {
      const run = row.run ?? 0;
      const tip = tips.get(run) ?? { ri: 0, rp: NO_LEAF };
      if (row.seq < from) leaf = row.hash.toString('hex');
      else {
        let body = linked(row.body, tip);
        if (row.kind === KINDS.seal) {
          const next = generateKeyPairSync('ed25519').privateKey;
          body = sealed(body, row.seq, frontier.root(), seal, next);
          seal = next;
        }
        leaf = sha256Hex(preimage(LEDGER_ID, row.seq, leaf, body));
        update.run(body, Buffer.from(leaf, 'hex'), row.seq);
      }
      frontier.push(leaf, (level, index, hash) => {
        tile.run(level, index, Buffer.from(hash, 'hex'));
      });
      tips.set(run, { ri: tip.ri + 1, rp: leaf });
      if (opensEffect(row.kind, row.code)) open.add(row.seq);
      if (row.ref !== null && closesEffect(row.kind)) open.delete(row.ref);
    }
    seal = inForce ?? seal;
    const note = signCheckpoint(
      LEDGER_ID,
      { size: frontier.size, root: frontier.root() },
      { log: keys.log, seal },
    );
    db.prepare('UPDATE head SET note = ?, frontier = ?, open = ?, mark_size = ?, mark_frontier = ?').run(
      note,
      frontier.toBytes(),
      `[${[...open].join(',')}]`,
      base?.seq ?? 0,
      base?.frontier.toBytes() ?? Buffer.alloc(0),
    );
  })();
  return seal;
}

function linked(body: string, { ri, rp }: { ri: number; rp: string }): string {
  const at = body.lastIndexOf(',"ri":');
  return (
    body.slice(0, at) +
    body.slice(at).replace(/^,"ri":[0-9]+,"rp":"[0-9a-f]{64}"/, `,"ri":${ri},"rp":"${rp}"`)
  );
}

/** A seal over what lies before it, by whatever key the thief has. */
function sealed(body: string, seq: number, root: string, key: KeyObject, next: KeyObject): string {
  const n = Number(/"n":([0-9]+)/.exec(body)?.[1] ?? 0);
  const data = signSeal(
    LEDGER_ID,
    {
      n,
      size: seq - 1,
      root: Buffer.from(root, 'hex').toString('base64'),
      nextKey: keyText(createPublicKey(next)),
    },
    key,
  );
  return `{"code":null,"data":${data}${body.slice(body.lastIndexOf(',"ref":'))}`;
}
