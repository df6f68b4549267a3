import { canonicalize } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { previewsOf, type PreviewState } from '@subluminal/records';
import { escapeText } from '../output/escape.js';
import { plainLine } from '../output/plain-line.js';
import type { Surface } from '../output/style.js';
import { pairs, wrapped } from '../output/table.js';

const PREVIEW_LINES = 40;

/** An entry as it is recorded, for people: its kind, time and hash, and each member. */
export function rawLines(row: LedgerRow, { paint, width }: Surface): readonly string[] {
  const members = Object.entries(row.data).map(
    ([key, value]) => [escapeText(key), { text: canonicalize(value) }] as const,
  );
  return [
    `${paint('bold', `entry ${row.seq}`)}  ${row.type}  ${new Date(row.ts).toISOString()}`,
    ...pairs([['leaf', { text: row.leaf, tone: 'dim' }], ...members], paint, width - 2).map(
      (line) => `  ${line}`,
    ),
  ];
}

/**
 * The previews of an entry, each under its name. They keep their lines, and nothing in them acts on a
 * terminal or a CI system.
 */
export function previewLines(
  reader: LedgerReader,
  row: LedgerRow,
  { paint, width }: Surface,
): readonly string[] {
  return previewsOf(reader, row).flatMap(({ slot, text, state }) => {
    const title = paint('dim', slot);
    if (text === null) return [title, `  (${NOT_KEPT[state]})`];
    const lines = text.split('\n').flatMap((line) => wrapped(plainLine(escapeText(line)), width - 4));
    const more = lines.length - PREVIEW_LINES;
    return [
      title,
      ...lines.slice(0, PREVIEW_LINES).map((line) => `  ${paint('dim', '|')} ${line}`.trimEnd()),
      ...(more > 0 ? [`    … ${more} more lines (\`--json\`)`] : []),
    ];
  });
}

const NOT_KEPT: Readonly<Record<PreviewState, string>> = {
  present: '',
  'dropped:backpressure': 'not kept: too much was waiting to be recorded',
  'dropped:budget': 'not kept: the ledger had come to the end of its budget',
  expired: 'expired',
  missing: 'missing: run `sub audit verify`',
};
