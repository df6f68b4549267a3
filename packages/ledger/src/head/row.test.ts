import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SIGNING_KEY } from '../../testing/scratch.js';
import { Frontier } from '../merkle/frontier.js';
import { signCheckpoint } from './note.js';
import { claimedSize, readHead, type HeadRow } from './row.js';

const KEYS = { log: createPublicKey(SIGNING_KEY) };

/** The tree of the first `size` leaves. */
function tree(size: number): Frontier {
  const frontier = new Frontier();
  for (let leaf = 1; leaf <= size; leaf += 1) frontier.push(leaf.toString(16).padStart(64, '0'));
  return frontier;
}

const HEAD = tree(3);
const GOOD: HeadRow = {
  note: signCheckpoint('L1', { size: 3, root: HEAD.root() }, { log: SIGNING_KEY }),
  frontier: HEAD.toBytes(),
  open: '[1,3]',
  mark_size: 2,
  mark_frontier: tree(2).toBytes(),
};

const read = (changed: Partial<HeadRow>): unknown => readHead({ ...GOOD, ...changed }, 'L1', KEYS);

describe('the size that a stored head claims', () => {
  const claimed = (size: string): number => claimedSize({ ...GOOD, note: `subluminal/L1\n${size}\nroot\n` });

  it.each([
    ['1', 1],
    ['300', 300],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('is read from %s', (text, size) => {
    expect(claimed(text)).toBe(size);
  });

  it.each(['', '0', '-0', '-1', '1.5', '9007199254740992', '1e400', 'NaN', 'Infinity', 'three'])(
    'is 0 where the note says %j',
    (text) => {
      expect(claimed(text)).toBe(0);
    },
  );

  it('is 0 where there is no row, and where the note has no second line', () => {
    expect(claimedSize(undefined)).toBe(0);
    expect(claimedSize({ ...GOOD, note: '' })).toBe(0);
    expect(claimedSize({ ...GOOD, note: 'subluminal/L1' })).toBe(0);
  });
});

describe('a stored head', () => {
  it('is read with what it covers', () => {
    const head = readHead(GOOD, 'L1', KEYS);
    if (typeof head === 'string') throw new Error(head);
    expect(head.checkpoint).toEqual({ size: 3, root: HEAD.root() });
    expect(head.open).toEqual([1, 3]);
    expect([head.note, head.frontier.root(), head.mark.root()]).toEqual([
      GOOD.note,
      HEAD.root(),
      tree(2).root(),
    ]);
  });

  it('is refused where there is none', () => {
    expect(readHead(undefined, 'L1', KEYS)).toBe('there is no head');
  });

  it.each(['', 'subluminal/L1', GOOD.note.replace('\n3\n', '\n4\n'), `${GOOD.note}\n`])(
    'is refused with the note %j',
    (note) => {
      expect(read({ note })).toBe('the signatures of the head do not verify under the keys in force');
    },
  );

  it.each([
    ['empty', Buffer.alloc(0)],
    ['a byte too short', HEAD.toBytes().subarray(1)],
    ['a byte too long', Buffer.concat([HEAD.toBytes(), Buffer.alloc(1)])],
    ['that of a smaller tree', tree(2).toBytes()],
    ['that of another tree of its size', Buffer.alloc(64)],
  ])('is refused with a frontier that is %s', (_, frontier) => {
    expect(read({ frontier })).toBe('the frontier does not give the head’s root');
  });

  it.each([0, 1, 2, 3])('is read with a mark of %d entries', (size) => {
    expect(read({ mark_size: size, mark_frontier: tree(size).toBytes() })).toMatchObject({ open: [1, 3] });
  });

  it.each([
    ['beyond the head', 4, tree(4).toBytes()],
    ['far beyond the head', 2 ** 40, Buffer.alloc(32)],
    ['below zero', -1, Buffer.alloc(0)],
    ['no integer', 1.5, Buffer.alloc(32)],
    ['larger than its frontier', 3, tree(2).toBytes()],
    ['smaller than its frontier', 0, tree(2).toBytes()],
    ['a byte short', 2, tree(2).toBytes().subarray(1)],
  ])('is refused with a mark that is %s', (_, size, frontier) => {
    expect(read({ mark_size: size, mark_frontier: frontier })).toBe('the mark does not fit the head');
  });

  it.each([
    ['[]', []],
    ['[1]', [1]],
    ['[3]', [3]],
    ['[1,2,3]', [1, 2, 3]],
  ])('is read with the open entries %s', (text, open) => {
    expect(read({ open: text })).toMatchObject({ open });
  });

  it.each([
    '',
    '[',
    '[1',
    '1]',
    '(1)',
    '{1}',
    ' [1]',
    '[1]\n',
    '[ 1]',
    '[1, 2]',
    '[1,]',
    '[,1]',
    '[01]',
    '[1.0]',
    '[1e0]',
    '["1"]',
    '[null]',
    '[0]',
    '[-1]',
    '[0,1]',
    '[4]',
    '[1,4]',
    '[1,1]',
    '[2,1]',
    '[1,3,2]',
    '[12345678901234567]',
    'null',
  ])('is refused with the open entries %j', (open) => {
    expect(read({ open })).toBe('the list of open entries is not one');
  });
});
