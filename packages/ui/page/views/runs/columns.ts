import type { RunRow } from '../../../src/protocol/index.js';

/** The columns of the runs, by which they can be sorted. */
export const COLUMNS = [
  { key: 'agent', word: 'Agent', isNumber: false },
  { key: 'folder', word: 'Folder', isNumber: false },
  { key: 'state', word: 'State', isNumber: false },
  { key: 'client', word: 'Client', isNumber: false },
  { key: 'began', word: 'Began', isNumber: false },
  { key: 'took', word: 'Time', isNumber: true },
  { key: 'calls', word: 'Calls', isNumber: true },
  { key: 'refused', word: 'Refused', isNumber: true },
  { key: 'asked', word: 'Asked', isNumber: true },
  { key: 'errors', word: 'Errors', isNumber: true },
  { key: 'net_refused', word: 'Net refused', isNumber: true },
  { key: 'unusual', word: 'Unusual', isNumber: true },
] as const;

export type SortKey = (typeof COLUMNS)[number]['key'];

/** Runs by a column: the most first, names by the alphabet, the newest first among equals. */
export function sorted<Run extends RunRow>(runs: readonly Run[], key: SortKey): readonly Run[] {
  return runs.toSorted((one, other) => compare(one, other, key) || other.began - one.began);
}

/** Connections and names that were refused. */
export function netRefused({ names_refused, net_refused }: RunRow): number {
  return net_refused + names_refused;
}

function compare(one: RunRow, other: RunRow, key: SortKey): number {
  switch (key) {
    case 'agent':
    case 'client':
    case 'state':
      return one[key].localeCompare(other[key]);
    case 'folder':
      return (one.folder ?? '').localeCompare(other.folder ?? '');
    case 'began':
      return other.began - one.began;
    case 'took':
      return (
        (other.ended ?? Number.MAX_SAFE_INTEGER) -
        other.began -
        ((one.ended ?? Number.MAX_SAFE_INTEGER) - one.began)
      );
    case 'refused':
      return other.refused + netRefused(other) - (one.refused + netRefused(one));
    case 'net_refused':
      return netRefused(other) - netRefused(one);
    default:
      return other[key] - one[key];
  }
}
