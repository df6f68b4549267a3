import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mergeFiles } from '../../testing/merged.js';
import { fillRun, runStart, Scratch } from '../../testing/scratch.js';
import { openLedgerReader } from '../index.js';
import { LedgerProver } from './prover.js';

const VERIFIER = fileURLToPath(new URL('../../../../verifier/verify.mjs', import.meta.url));

let scratch: Scratch;
let one = '';
/** A signed head of each time that the ledger was closed. */
const heads: string[] = [];
/** Where each file begins: its first entry. */
let firsts: number[] = [];

/**
 * Files of about 310, 20, 240, 5 and 70 entries: tiles that end inside of files and at none of their ends.
 */
beforeAll(async () => {
  scratch = new Scratch();
  scratch.create();
  for (const [life, calls] of [100, 5, 78, 0, 22].entries()) {
    const ledger = await scratch.open({ segmentBytes: 1 });
    if (calls === 0) await ledger.append({ entries: [runStart(`run-${life}`)] });
    else await fillRun(ledger, `run-${life}`, calls);
    await ledger.close();
    heads.push(ask(scratch.path, (prover) => prover.head().note));
  }
  one = mergeFiles(scratch.path, join(scratch.folder, 'one.db'));
  const reader = openLedgerReader(scratch.path);
  firsts = reader.byType('segment_opened', { order: 'asc' }).rows.map(({ seq }) => seq);
  reader.close();
  expect(firsts).toHaveLength(4);
});
afterAll(() => scratch.remove());
afterEach(() => {
  for (const name of readdirSync(scratch.folder).filter((found) => /^[0-9]+-/.test(found)))
    renameSync(join(scratch.folder, name), join(scratch.folder, 'segments', name));
});

function ask<T>(path: string, work: (prover: LedgerProver) => T): T {
  const prover = new LedgerProver(path);
  try {
    return work(prover);
  } finally {
    prover.close();
  }
}

/** Takes closed files away, by their numbers. */
function moveAway(...numbers: number[]): void {
  const segments = join(scratch.folder, 'segments');
  for (const name of readdirSync(segments))
    if (numbers.includes(Number.parseInt(name, 10)))
      renameSync(join(segments, name), join(scratch.folder, name));
}

function verifier(command: string, ...texts: string[]): number | null {
  const files = texts.map((text, at) => {
    const file = join(scratch.folder, `input-${at}`);
    writeFileSync(file, text);
    return file;
  });
  const vkey = ask(scratch.path, (prover) => prover.logKeyText);
  return spawnSync(process.execPath, [VERIFIER, command, ...files, '--log', vkey]).status;
}

/** Every end of a file and of a tile, its neighbours, and some between. */
function sizes(size: number): number[] {
  const ends = [...firsts.map((first) => first - 1), 256, 512];
  const isNear = (seq: number): boolean => ends.some((end) => Math.abs(end - seq) <= 2);
  return Array.from({ length: size + 1 }, (_, seq) => seq).filter(
    (seq) => seq % 17 === 0 || isNear(seq) || seq === size,
  );
}

/** What becomes of a question: its answer, or the code of the error. */
function outcome(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return String(Object.getOwnPropertyDescriptor(error, 'code')?.value ?? error);
  }
}

describe('proofs of a ledger of several files', () => {
  it('are those of the same entries in one file: of every entry, and from every older size', () => {
    const all = (path: string): unknown =>
      ask(path, (prover) => {
        const head = prover.head();
        const entries = sizes(head.size).map((seq) => (seq === 0 ? '' : prover.entry(seq)));
        const growths = sizes(head.size).map((from) => prover.growthFrom(from, head));
        return { entries, growths, heads: heads.map((note) => prover.growth(note)) };
      });
    expect(all(scratch.path)).toEqual(all(one));
  });

  it('are verified by the verifier that stands alone, at every end of a file', () => {
    for (const first of firsts) {
      for (const seq of [first - 1, first])
        expect(
          verifier(
            'proof',
            ask(scratch.path, (prover) => prover.entry(seq)),
          ),
        ).toBe(0);
    }
    for (const older of heads) {
      const growth = ask(scratch.path, (prover) => prover.growth(older));
      expect(verifier('consistency', older, growth)).toBe(0);
    }
  });

  it('refuse a receipt of another entry, in whichever file it stands', () => {
    ask(scratch.path, (prover) => {
      const reader = openLedgerReader(scratch.path);
      for (const first of firsts) {
        for (const seq of [first - 1, first]) {
          const leaf = reader.entry(seq)?.leaf ?? '';
          prover.assertLeaf({ seq, leaf });
          expect(() => prover.assertLeaf({ seq: seq + 1, leaf })).toThrow(
            expect.objectContaining({ code: 'ledger_corrupt' }),
          );
        }
      }
      reader.close();
    });
  });
});

describe('where older files are not there', () => {
  it.each([[[1]], [[1, 2]], [[1, 2, 3]], [[2]], [[1, 2, 3, 4]]])(
    'proofs without files %j are the same, or name the file that they need',
    (numbers) => {
      const whole = ask(one, (prover) => {
        const head = prover.head();
        const wanted = sizes(head.size).map((seq) => ({
          seq,
          entry: outcome(() => prover.entry(seq)),
          growth: prover.growthFrom(seq, head),
        }));
        return { head, wanted };
      });
      moveAway(...numbers);
      const count = { proved: 0, refused: 0 };
      const bounds = [1, ...firsts, whole.head.size + 1];
      ask(scratch.path, (prover) => {
        const isGone = (seq: number): boolean =>
          numbers.includes(bounds.findLastIndex((first) => first <= seq) + 1);
        const last = (bounds[Math.max(...numbers)] ?? 0) - 1;
        for (const { seq, entry, growth } of whole.wanted) {
          const [gotEntry, gotGrowth] = [
            outcome(() => prover.entry(seq)),
            outcome(() => prover.growthFrom(seq, whole.head)),
          ];
          if (isGone(seq)) expect(gotEntry).toBe('not_found');
          if (gotEntry !== 'not_found') expect(gotEntry).toBe(entry);
          if (gotGrowth !== 'not_found') expect(gotGrowth).toBe(growth);
          // What a file begins with holds all that is needed of those before it.
          if (seq > last) expect(gotEntry).toBe(entry);
          if (seq >= last) expect(gotGrowth).toBe(growth);
          count[gotEntry === entry ? 'proved' : 'refused'] += 1;
        }
      });
      expect(count.proved).toBeGreaterThan(5);
      expect(count.refused).toBeGreaterThan(2);
    },
  );

  it('the error of an entry and of a receipt names the file', () => {
    moveAway(2);
    const name = readdirSync(scratch.folder).find((found) => found.startsWith('2-')) ?? 'none';
    const error = { code: 'not_found', message: expect.stringContaining(`\`${name}\``) };
    const seq = firsts[0] ?? 0;
    ask(scratch.path, (prover) => {
      expect(() => prover.entry(seq)).toThrow(expect.objectContaining(error));
      expect(() => prover.assertLeaf({ seq, leaf: '00' })).toThrow(expect.objectContaining(error));
    });
  });
});

it('a prover that waits lets the ledger go on in another file', async () => {
  const own = new Scratch();
  own.create();
  const ledger = await own.open({ segmentBytes: 1 });
  await fillRun(ledger, 'run-a', 1);
  await ledger.flushHead('idle');
  const prover = new LedgerProver(own.path);
  const older = prover.head();
  prover.release();
  await fillRun(ledger, 'run-b', 400);
  expect(existsSync(join(own.folder, 'segments'))).toBe(true);
  expect(prover.growthFrom(2, older)).toContain('old 2\n');
  expect(prover.growth(older.note)).toContain(`old ${older.size}\n`);
  prover.close();
  await ledger.close();
  own.remove();
}, 60_000);
