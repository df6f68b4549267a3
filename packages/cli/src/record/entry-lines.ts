import type { LedgerRow } from '@subluminal/ledger';
import type { Surface } from '../output/style.js';
import { pairs, type Cell } from '../output/table.js';
import { wholeTime } from '../output/time.js';
import { happening } from './live-lines.js';

/** An entry of no call, by what it tells: all of it is in `rawLines`. */
export function entryLines(row: LedgerRow, { paint, width }: Surface): readonly string[] {
  const told: readonly (readonly [string, Cell])[] = [
    ['entry', { text: `${row.seq} ${row.type}`, tone: 'bold' }],
    ['tells', { text: happening(row) ?? '' }],
    ['when', { text: wholeTime(row.ts) }],
    ['run', { text: row.runId ?? '' }],
    ...Object.entries(row.data).flatMap(([name, value]) =>
      typeof value === 'object' ? [] : [[name, { text: String(value) }] as const],
    ),
    ['leaf', { text: row.leaf }],
  ];
  return pairs(
    told.filter(([, cell]) => cell.text !== ''),
    paint,
    width,
  );
}
