import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  isSublError,
  type JsonValue,
  numberAt,
  parseJson,
  processAt,
  type ProcessIdentity,
  SublError,
} from '@subluminal/core-types';
import { hasCode, isAlive } from '@subluminal/ipc';
import { readJournal } from '../apply/journal.js';
import type { LayerPlace } from './place.js';

/** A decision on a layer that was begun, and whose end was not recorded. */
export interface CutOff {
  /** The entry of the ledger that began it; undefined: that is not known. */
  readonly begun: number | undefined;
  /** Files of the project that may be half-way. */
  readonly unsettled: number;
}

/** Notes in the layer which entry of the ledger a decision on it has, before it is carried out. */
export function markBegun({ recorded }: LayerPlace, begun: number, { pid, start }: ProcessIdentity): void {
  writeFileSync(recorded, JSON.stringify({ begun, holder: { pid, start } }), { mode: 0o600, flush: true });
}

/** The end is recorded, or it went with the layer. */
export function unmarkBegun({ recorded }: LayerPlace): void {
  rmSync(recorded, { force: true });
}

/**
 * The decision that was cut off; undefined if there is none. Throws `usage` if it is still going on, and the
 * errors of `readJournal`.
 */
export function cutOffIn(place: LayerPlace): CutOff | undefined {
  const mark = readMark(place);
  const journal = readJournal(place.journal);
  const holders = [mark?.holder, journal === 'empty' ? undefined : journal?.holder];
  if (holders.some((holder) => holder !== undefined && isAlive(holder)))
    throw new SublError('usage', 'a commit or discard of this layer is going on', {
      help: 'wait until it has ended',
    });
  if (mark === undefined && (journal === undefined || journal === 'empty')) return undefined;
  const unsettled = journal === undefined || journal === 'empty' ? 0 : journal.open.length;
  return { begun: mark?.begun, unsettled };
}

interface Mark {
  readonly begun: number | undefined;
  readonly holder: ProcessIdentity | undefined;
}

/** One that was cut off while it was written names nothing. */
function readMark({ recorded }: LayerPlace): Mark | undefined {
  let said: JsonValue;
  try {
    said = parseJson(readFileSync(recorded, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (isSublError(error)) return { begun: undefined, holder: undefined };
    throw error;
  }
  return { begun: numberAt(said, 'begun'), holder: processAt(said, 'holder') };
}
