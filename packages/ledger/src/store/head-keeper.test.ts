import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  beginCall,
  endCall,
  fillRun,
  runEnd,
  runStart,
  Scratch,
  SIGNING_KEY,
} from '../../testing/scratch.js';
import { verifyLedger } from '../index.js';
import { HeadsLogWriter } from '../head/heads-log.js';
import { Frontier } from '../merkle/frontier.js';
import { openReadOnly } from '../schema/connection.js';
import type { Settle } from '../seal/sealer.js';
import { HeadKeeper } from './head-keeper.js';

function openKeeper(
  scratch: Scratch,
  size: number,
  settle?: Settle,
): { keeper: HeadKeeper; close: () => void } {
  const db = openReadOnly(scratch.path);
  const frontier = new Frontier();
  for (let at = 0; at < size; at += 1) frontier.push('cd'.repeat(32));
  const keeper = new HeadKeeper({
    db,
    ledgerId: 'test-ledger',
    privateKey: SIGNING_KEY,
    sealKey: () => SIGNING_KEY,
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
  const { keeper, close } = openKeeper(scratch, 1, {
    now: () => void seen.push(readFileSync(scratch.headsLog).length),
    aside: () => Promise.resolve(),
  });
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
    expect(await scratch.verify()).toMatchObject({ exit: 0, memory: { size: 3, ts: 0 } });
    await (await scratch.open()).close();
    scratch.remove();
  },
);

it('remembers at its start whatever was left to remember, and nothing twice', async () => {
  const scratch = await new Scratch().fill((ledger) => fillRun(ledger, 'r', 1));
  const lines = (): string[] => readFileSync(scratch.headsLog, 'utf8').trimEnd().split('\n');
  const before = lines();
  expect(before).toHaveLength(3);
  writeFileSync(scratch.headsLog, `${before.slice(0, 2).join('\n')}\n`);
  const ledger = await scratch.open();
  expect(lines().map((line) => line.split(' ')[0])).toEqual([before[0], '1', '5']);
  await ledger.close();
  expect(lines()).toHaveLength(3);
  scratch.remove();
});

it('remembers the first commit of a ledger at once: an honest young one proves itself', async () => {
  const scratch = new Scratch();
  scratch.create();
  const ledger = await scratch.open();
  await ledger.append({ entries: [{ type: 'gateway_start', ts: 1, runId: null, data: { pid: 1 } }] });
  const { path, headsLog } = scratch;
  expect(await verifyLedger(path, { headsLog, live: true })).toMatchObject({
    exit: 0,
    reasons: [],
    memory: { size: 1 },
  });
  await ledger.append({ entries: [runStart('r')] });
  expect(readFileSync(scratch.headsLog, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  await ledger.close();
  scratch.remove();
});

it('signs with the commit in which the last of what is under way ends, and not with those before', async () => {
  const scratch = new Scratch();
  scratch.create();
  const ledger = await scratch.open();
  const behind = async (): Promise<number> => {
    const { entries, headSize } = await verifyLedger(scratch.path, {
      headsLog: scratch.headsLog,
      live: true,
    });
    return entries - (headSize ?? 0);
  };
  await ledger.append({ entries: [runStart('r')] });
  expect(await behind()).toBe(0);
  for (const [call, expected] of [
    ['a', 2],
    ['b', 4],
  ] as const) {
    await ledger.append(beginCall('r', call));
    expect(await behind()).toBe(expected);
  }
  await ledger.append({ entries: [endCall('r', 'a', 3)] });
  expect(await behind()).toBe(5);
  await ledger.append({ entries: [endCall('r', 'b', 5)] });
  expect(await behind()).toBe(0);
  await ledger.close();
  scratch.remove();
});
