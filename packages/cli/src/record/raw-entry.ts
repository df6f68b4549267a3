import { canonicalize, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { escapeText } from '../output/escape.js';
import { plainLine } from '../output/plain-line.js';
import type { Surface } from '../output/style.js';
import { pairs, wrapped } from '../output/table.js';

const PREVIEW_LINES = 40;

/** An entry with all that it holds, for programs; the names are documented in docs/cli.md. */
export function entryJson(reader: LedgerReader, row: LedgerRow): JsonObject {
  const blobs = Object.keys(row.blobs).map((slot) => {
    const text = reader.blob(row.seq, slot);
    return { slot, text, state: stateOf(reader, row, slot, text) };
  });
  return {
    seq: row.seq,
    leaf: row.leaf,
    ts: new Date(row.ts).toISOString(),
    type: row.type,
    code: row.code,
    run_id: row.runId,
    tool: typeof row.tool === 'string' || row.tool === null ? row.tool : [...row.tool],
    ref: row.ref,
    run_index: row.runIndex,
    request_id: row.requestId,
    data: row.data,
    blobs,
  };
}

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
  return Object.keys(row.blobs).flatMap((slot) => {
    const text = reader.blob(row.seq, slot);
    const title = paint('dim', slot);
    if (text === null) return [title, `  (${NOT_KEPT[stateOf(reader, row, slot, text)]})`];
    const lines = text.split('\n').flatMap((line) => wrapped(plainLine(escapeText(line)), width - 4));
    const more = lines.length - PREVIEW_LINES;
    return [
      title,
      ...lines.slice(0, PREVIEW_LINES).map((line) => `  ${paint('dim', '|')} ${line}`.trimEnd()),
      ...(more > 0 ? [`    … ${more} more lines (\`--json\`)`] : []),
    ];
  });
}

type PreviewState = 'present' | 'dropped:backpressure' | 'dropped:budget' | 'expired' | 'missing';

const NOT_KEPT: Readonly<Record<PreviewState, string>> = {
  present: '',
  'dropped:backpressure': 'not kept: too much was waiting to be recorded',
  'dropped:budget': 'not kept: the ledger had come to the end of its budget',
  expired: 'expired',
  missing: 'missing: run `sub audit verify`',
};

/** Why a preview is there or not; only its entry, or a later one, may say that it is not. */
function stateOf(reader: LedgerReader, row: LedgerRow, slot: string, text: string | null): PreviewState {
  if (text !== null) return 'present';
  const { state = 'missing' } = row.blobs[slot] ?? {};
  if (state !== 'present') return state;
  return row.seq <= reader.expiredUpTo() ? 'expired' : 'missing';
}
