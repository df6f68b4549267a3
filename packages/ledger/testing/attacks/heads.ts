import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { signCheckpoint } from '../../src/head/note.js';
import { createLedger } from '../../src/index.js';
import { keyFromSeed, withoutTriggers } from '../scratch.js';
import type { Attack } from './attack.js';
import { fillRun, Copy } from './book.js';
import { steal } from './forge.js';
import { LEDGER_ID, lie, relink } from './rewrite.js';
import { join } from 'node:path';

const ANOTHER_LEDGER =
  'it is a whole ledger of its own; only what was kept outside (the fingerprint, heads.log) says that it is not this one';
const OLDER =
  'it is what the gateway wrote, as it was then: nothing inside says that more came after it; only outside memory can';

/** What is done to the head, to the whole, and to the memory outside. */
export const HEAD_ATTACKS: readonly Attack[] = [
  {
    number: 12,
    name: 'the file deleted, a fresh one with another key in its place',
    act: (copy) => freshLedger(copy),
    places: 'whole',
    because: ANOTHER_LEDGER,
  },
  {
    number: 18,
    name: 'everything hashed and linked anew, without a key',
    act: (copy) =>
      copy.edit((db) =>
        withoutTriggers(db, () => {
          lie(db, 1);
          relink(db, 1);
        }),
      ),
    places: 'whole',
  },
  {
    number: 19,
    name: 'everything written anew under keys of one’s own',
    act: async (copy) => {
      freshLedger(copy);
      const ledger = await copy.open({
        signingKey: { privateKey: keyFromSeed(9) },
        headsLog: join(copy.folder, 'own.log'),
      });
      for (const run of ['run-001', 'run-002']) await fillRun(ledger, run);
      await ledger.close();
    },
    places: 'whole',
    because: ANOTHER_LEDGER,
  },
  {
    number: 25,
    name: 'the head of an older size',
    act: (copy, _, book) => {
      const head = headOf(book.older);
      copy.edit((db) =>
        db
          .prepare('UPDATE head SET note = ?, frontier = ?, open = ?, mark_size = ?, mark_frontier = ?')
          .run(head.note, head.frontier, head.open, head.mark_size, head.mark_frontier),
      );
    },
    places: 'whole',
  },
  {
    number: 26,
    name: 'the head of another ledger, by the same keys',
    act: (copy) => {
      const { log, seal } = steal(copy);
      const { note } = headOf(copy);
      const [, size = '', root = ''] = note.split('\n');
      const checkpoint = { size: Number(size), root: Buffer.from(root, 'base64').toString('hex') };
      copy.edit((db) =>
        db.prepare('UPDATE head SET note = ?').run(signCheckpoint('other-ledger', checkpoint, { log, seal })),
      );
    },
    places: 'whole',
  },
  {
    number: 26,
    name: 'the head signed by another log key',
    act: (copy) => {
      const { seal } = steal(copy);
      const { note } = headOf(copy);
      const [, size = '', root = ''] = note.split('\n');
      const checkpoint = { size: Number(size), root: Buffer.from(root, 'base64').toString('hex') };
      copy.edit((db) =>
        db
          .prepare('UPDATE head SET note = ?')
          .run(signCheckpoint(LEDGER_ID, checkpoint, { log: keyFromSeed(9), seal })),
      );
    },
    places: 'whole',
  },
  {
    number: 27,
    name: 'rows of another ledger of the same key put in the place of ours',
    act: async (copy, seq, book) => {
      const other = await fork(book.older, join(copy.folder, 'fork'));
      copy.edit((db) => {
        db.exec(`ATTACH '${other.path}' AS other`);
        const from = Math.min(seq, splitOf(book.older));
        withoutTriggers(db, () =>
          db.exec(`DELETE FROM entry WHERE seq >= ${from} AND seq IN (SELECT seq FROM other.entry);
          INSERT INTO entry SELECT * FROM other.entry WHERE seq >= ${from}`),
        );
        db.exec('DETACH other');
      });
    },
    places: 'rows',
  },
  {
    number: 50,
    name: 'the whole folder put back to an older state',
    act: (copy, _, book) =>
      Copy.of({ ...pathsOf(book.older), headsLog: copy.headsLog }, join(copy.folder, 'back')),
    places: 'whole',
    because: OLDER,
  },
  {
    number: 53,
    name: 'heads.log deleted',
    act: (copy) => rmSync(copy.headsLog),
    places: 'whole',
    because: 'the memory is gone, and the ledger itself is untouched',
  },
  {
    number: 53,
    name: 'heads.log cut to its first half',
    act: (copy) => {
      const text = readFileSync(copy.headsLog, 'latin1');
      truncateSync(copy.headsLog, text.indexOf('\n', text.length >> 1) + 1);
    },
    places: 'whole',
    because: 'the ledger is longer than its memory by more than a writer leaves, and itself untouched',
  },
  ...(
    [
      [
        'a root of it changed',
        (text: string) =>
          editLine(text, 0.5, (line) => line.replace(/ (\S)/, (_, c: string) => ` ${c === 'A' ? 'B' : 'A'}`)),
        'heads_log',
      ],
      [
        'a size of it changed',
        (text: string) =>
          editLine(text, 0.5, (line) => line.replace(/^([0-9]+)/, (n: string) => String(Number(n) + 1))),
        'heads_log',
      ],
      ['a line of garbage', (text: string) => `${text}garbage\n`, 'heads_log'],
      [
        'a line for a ledger that is longer',
        (text: string) => `${text}99999 ${Buffer.alloc(32).toString('base64')} 1\n`,
        'heads_log',
      ],
      [
        'the fingerprint of another ledger',
        (text: string) => text.replace(/^[0-9a-f]{64}/, 'ab'.repeat(32)),
        'genesis',
      ],
    ] as const
  ).map(([name, change]): Attack => ({
    number: 53,
    name: `heads.log with ${name}`,
    act: (copy) => writeFileSync(copy.headsLog, change(readFileSync(copy.headsLog, 'latin1')), 'latin1'),
    places: 'whole',
    because: 'the memory contradicts the ledger; without it nothing does',
  })),
  {
    number: 54,
    name: 'a copy that went on by itself, shown with our memory',
    act: async (copy, _, book) => {
      const other = await fork(book.older, join(copy.folder, 'fork'));
      writeFileSync(other.headsLog, readFileSync(copy.headsLog));
      return other;
    },
    places: 'whole',
    because:
      'both copies are the gateway’s own work; only somebody who saw both (heads.log, a witness) can tell',
  },
];

function headOf(copy: Pick<Copy, 'path'>): {
  note: string;
  frontier: Buffer;
  open: string;
  mark_size: number;
  mark_frontier: Buffer;
} {
  const db = new SqliteDatabase(copy.path, { readonly: true });
  try {
    const head = db.prepare<[], ReturnType<typeof headOf>>('SELECT * FROM head').get();
    if (head === undefined) throw new Error('there is no head');
    return head;
  } finally {
    db.close();
  }
}

function splitOf(copy: Copy): number {
  return Number(headOf(copy).note.split('\n')[1]);
}

function pathsOf({ path, sealKey, headsLog }: Copy): Pick<Copy, 'path' | 'sealKey' | 'headsLog'> {
  return { path, sealKey, headsLog };
}

/** A ledger of the same name with nothing in it, under another key, in the place of ours. */
function freshLedger(copy: Copy): void {
  for (const end of ['', '-wal', '-shm']) rmSync(copy.path + end, { force: true });
  rmSync(copy.sealKey);
  createLedger({
    path: copy.path,
    ledgerId: LEDGER_ID,
    createdMs: 1,
    version: '0.1.0',
    signingKey: keyFromSeed(9),
    sealKeyPath: copy.sealKey,
  });
}

/** A copy that goes on by itself, with the same keys and its own memory. */
async function fork(from: Copy, folder: string): Promise<Copy> {
  const copy = Copy.of(from, folder);
  const ledger = await copy.open();
  for (let run = 0; run < 20; run += 1) await fillRun(ledger, `fork-${run}`);
  await ledger.close();
  return copy;
}

function editLine(text: string, share: number, change: (line: string) => string): string {
  const lines = text.split('\n');
  const at = Math.floor(lines.length * share);
  lines[at] = change(lines[at] ?? '');
  return lines.join('\n');
}
