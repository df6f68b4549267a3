import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillRun, runStart, Scratch } from '../../testing/scratch.js';
import { LedgerFiles } from './files.js';
import { OneFile } from './one-file.js';
import { Outcomes } from './outcomes.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

const LIVES = 8;

/** A run that goes on through all files, and one in each. */
async function fillFiles(): Promise<void> {
  for (let life = 0; life < LIVES; life += 1) {
    const ledger = await scratch.open({ segmentBytes: 1 });
    if (life === 0) await ledger.append({ entries: [runStart('long')] });
    await fillRun(ledger, `run-${life}`, 1);
    await ledger.close();
  }
}

describe('the outcome of a request id', () => {
  it.each([
    ['that claimed it nowhere in all files', 'long', LIVES],
    ['that began in the newest file', `run-${LIVES - 1}`, 1],
    ['that began two files before the newest', `run-${LIVES - 3}`, 3],
  ])('of a run %s takes a turn of the event loop for each file of the run', async (_, run, expected) => {
    await fillFiles();
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    const opened = new Map<string, number>();
    const files = new LedgerFiles(scratch.path, (file) => {
      opened.set(file.path, turns);
      return new OneFile(file);
    });
    setImmediate(turn);
    expect(await new Outcomes(files).seenInTurns(run, 'none')).toBeNull();
    isOver = true;
    files.close();
    expect(opened.size).toBe(expected);
    expect(new Set(opened.values()).size).toBe(expected);
  });

  it('is not looked for in more files once they were closed', async () => {
    await fillFiles();
    const files = new LedgerFiles(scratch.path, (file) => new OneFile(file));
    const looking = new Outcomes(files).seenInTurns('long', 'none');
    files.close();
    await expect(looking).rejects.toThrow('the reader is closed');
  });
});
