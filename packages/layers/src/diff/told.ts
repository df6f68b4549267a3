import { type FsDiff, startOf } from '@subluminal/core-types';
import { isBelow, shown } from '../files/byte-path.js';
import type { Diff, How } from './change.js';
import type { Step } from './step.js';

type Sign = '+' | '~' | '-';

const MOST_PATHS = 64;
const MOST_LETTERS = 512;
const SIGNS: Readonly<Record<How, Sign | undefined>> = {
  added: '+',
  modified: '~',
  replaced: '~',
  mode: '~',
  deleted: '-',
  touched: undefined,
};

/**
 * Tells of steps. A new folder counts if nothing in it does, and so does one that is gone. Undefined where
 * nothing is to be told: times alone say nothing.
 */
export function diffTold(steps: readonly Step[], isTruncated: boolean): FsDiff | undefined {
  const signed = steps.flatMap((step) => {
    const sign = signOf(step);
    return sign === undefined ? [] : [{ ...step, sign }];
  });
  const told = signed.filter(({ path, sign }, at) => {
    const next = signed[at + 1];
    return sign === '~' || next === undefined || !isBelow(next.path, path);
  });
  if (told.length === 0 && !isTruncated) return undefined;
  const count = (wanted: Sign): number => told.filter(({ sign }) => sign === wanted).length;
  return {
    added: count('+'),
    modified: count('~'),
    deleted: count('-'),
    paths: told.slice(0, MOST_PATHS).map(({ sign, path }) => startOf(`${sign} ${shown(path)}`, MOST_LETTERS)),
    ...(isTruncated ? { truncated: true } : {}),
  };
}

/** Tells of all differences of a layer from its project; undefined where nothing is to be told. */
export function toldOf({ changes, isTruncated }: Diff): FsDiff | undefined {
  const steps = changes.map((after) => ({ path: after.path, before: undefined, after }));
  return diffTold(steps, isTruncated);
}

/** Tells of a layer that cannot be looked at: nobody knows what is in it. */
export const UNSEEN: FsDiff = { added: 0, modified: 0, deleted: 0, paths: [], truncated: true };

/** Of what was before the command, and not of the project. */
function signOf({ before, after }: Step): Sign | undefined {
  if (before === undefined) return after === undefined ? undefined : SIGNS[after.how];
  const wasThere = before.how !== 'deleted';
  const isThere = after === undefined ? before.how !== 'added' : after.how !== 'deleted';
  if (wasThere !== isThere) return isThere ? '+' : '-';
  // The time of a folder is that of the names in it, which are told themselves.
  const [old, now] = [before.after, after?.after];
  const isOnlyNames = old?.kind === 'folder' && now?.kind === 'folder' && old.mode === now.mode;
  return after?.how === 'touched' || isOnlyNames ? undefined : '~';
}
