import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runEnd, runStart, Scratch, SIGNING_KEY } from '../../testing/scratch.js';
import { HeadsLogWriter } from '../head/heads-log.js';
import { Frontier } from '../merkle/frontier.js';
import { openReadOnly } from '../schema/connection.js';
import { HeadKeeper } from './head-keeper.js';

function openKeeper(
  scratch: Scratch,
  size: number,
  settle?: () => void,
): { keeper: HeadKeeper; close: () => void } {
  const db = openReadOnly(scratch.path);
  const frontier = new Frontier();
  for (let at = 0; at < size; at += 1) frontier.push('cd'.repeat(32));
  const keeper = new HeadKeeper({
    db,
    ledgerId: 'test-ledger',
    privateKey: SIGNING_KEY,
    frontier,
    headSize: 0,
    mark: new Frontier(),
    olderMark: new Frontier(),
    headsLog: HeadsLogWriter.open(scratch.headsLog, 'ab'.repeat(32), 0),
    settle,
  });
  const close = (): void => {
    keeper.close();
    db.close();
  };
  return { keeper, close };
}

it('makes commits survive a power cut before heads.log remembers them', () => {
  const scratch = new Scratch();
  scratch.create();
  const seen: number[] = [];
  const { keeper, close } = openKeeper(
    scratch,
    1,
    () => void seen.push(readFileSync(scratch.headsLog).length),
  );
  keeper.remember(1);
  expect(seen).toEqual([65]);
  expect(readFileSync(scratch.headsLog, 'utf8').split('\n')).toHaveLength(3);
  close();
  scratch.remove();
});

it.each([-5, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'writes a heads.log that can be read again when the clock says %d',
  async (now) => {
    const scratch = new Scratch();
    scratch.create();
    const ledger = await scratch.open({ clock: () => now });
    await ledger.append({ entries: [runStart('r'), runEnd('r')] });
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ exit: 0, memory: { size: 2, ts: 0 } });
    await (await scratch.open()).close();
    scratch.remove();
  },
);

it.each([
  [1023, 0],
  [1024, 1],
])('with %i entries since the last line has %i to write before it accepts more', (size, lines) => {
  const scratch = new Scratch();
  scratch.create();
  const { keeper, close } = openKeeper(scratch, size);
  keeper.rememberIfDue(1);
  expect(readFileSync(scratch.headsLog, 'utf8').split('\n')).toHaveLength(2 + lines);
  close();
  scratch.remove();
});
