import { isBelow, shown } from '../files/byte-path.js';
import type { Change, How } from './change.js';
import type { Step } from './step.js';

/** The changes of one command, or of a whole layer, as they are recorded. */
export interface DiffTold {
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  /** The first of them, as `+ PATH`, `~ PATH` or `- PATH`. */
  readonly paths: readonly string[];
  /** There are more than could be looked at. */
  readonly truncated?: true;
}

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
 * nothing is to be told: times alone
 * say nothing.
 */
export function diffTold(steps: readonly Step[], isTruncated: boolean): DiffTold | undefined {
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
    paths: told.slice(0, MOST_PATHS).map(({ sign, path }) => `${sign} ${shown(path)}`.slice(0, MOST_LETTERS)),
    ...(isTruncated ? { truncated: true } : {}),
  };
}

/** All changes of a layer as steps from nothing. */
export function stepsOf(changes: readonly Change[]): readonly Step[] {
  return changes.map((after) => ({ path: after.path, before: undefined, after }));
}

/** Of what was before the command, and not of the project. */
function signOf({ before, after }: Step): Sign | undefined {
  if (before === undefined) return after === undefined ? undefined : SIGNS[after.how];
  const wasThere = before.how !== 'deleted';
  const isThere = after === undefined ? before.how !== 'added' : after.how !== 'deleted';
  if (wasThere !== isThere) return isThere ? '+' : '-';
  return after?.how === 'touched' ? undefined : '~';
}
