import { SublError } from '@subluminal/core-types';
import type { EntryType, LedgerReader, LedgerRow } from '@subluminal/ledger';
import { callIdOf } from './hints.js';
import { recordAround } from './record.js';
import { newestRows } from './waiting/newest-rows.js';

/** Fewer letters name no run and no call, unless they are all of its id: of its beginning, and of its end. */
const MIN_BEGINNING = 2;
const MIN_END = 4;
/** Starts of runs or calls among which a part of an id is looked for, from the newest back. */
const MAX_LOOKED_AT = 100_000;
/** Ids that an error names. */
const MAX_TOLD = 5;

/**
 * Finds the run that a person names by its id, or by the beginning or the end of it, as tables print them.
 * Throws `not_found` where there is none, `usage` where several fit.
 */
export function findRun(reader: LedgerReader, text: string): string {
  const found = runNamed(reader, text);
  if (found !== undefined) return found;
  throw new SublError('not_found', `there is no run \`${text}\``, { help: '`sub runs` lists them' });
}

/** The same, and undefined where there is none. */
export function runNamed(reader: LedgerReader, text: string): string | undefined {
  if (reader.byRun(text, { limit: 1 }).rows.length > 0) return text;
  return byPart(reader, 'run_start', text, ({ runId }) => runId ?? '')?.runId ?? undefined;
}

/**
 * Finds the entry that a person names. A number is an entry, `<seq>.<leaf>` an audit reference. Anything else
 * is the id of a request or a call, or a part of a call's as `findRun` takes it. Throws `ledger_corrupt` for
 * a reference whose hash is another, `usage` where several calls fit.
 */
export function findRow(reader: LedgerReader, text: string): LedgerRow | undefined {
  // Request ids have an index; a call id is looked for through the whole ledger.
  return isEntry(text) ? findEntry(reader, text) : (reader.byRequest(text)[0] ?? findCall(reader, text));
}

/** The start of the call that a person names: by its id, or by one of its entries as `findRow` takes them. */
export function findCallStart(reader: LedgerReader, text: string): LedgerRow | undefined {
  if (!isEntry(text)) return findCall(reader, text);
  const row = findEntry(reader, text);
  if (row === undefined) return undefined;
  const first = recordAround(reader, row)?.first ?? reader.call(callIdOf(row))?.start;
  return first?.type === 'tool_call_start' && first.runId === row.runId ? first : undefined;
}

/** The starts of the calls with exactly that id, the newest first: several runs may choose the same. */
export function callsWithId(reader: LedgerReader, id: string, most: number): readonly LedgerRow[] {
  const found: LedgerRow[] = [];
  for (const row of newestRows(reader, 'tool_call_start', MAX_LOOKED_AT)) {
    if (callIdOf(row) === id) found.push(row);
    if (found.length === most) break;
  }
  return found;
}

/** Whether a text names an entry, and so no more than one call. */
export function namesEntry(text: string): boolean {
  return isEntry(text);
}

function findCall(reader: LedgerReader, text: string): LedgerRow | undefined {
  return reader.call(text)?.start ?? byPart(reader, 'tool_call_start', text, callIdOf);
}

/** The only entry of that type whose id begins or ends with a text, in capitals or not. */
function byPart(
  reader: LedgerReader,
  type: EntryType,
  text: string,
  idOf: (row: LedgerRow) => string,
): LedgerRow | undefined {
  if (text.length < MIN_BEGINNING) return undefined;
  const part = text.toLowerCase();
  const found = new Map<string, LedgerRow>();
  for (const row of newestRows(reader, type, MAX_LOOKED_AT)) {
    const id = idOf(row).toLowerCase();
    if (id.startsWith(part) || (part.length >= MIN_END && id.endsWith(part))) found.set(idOf(row), row);
  }
  if (found.size < 2) return [...found.values()][0];
  const told = [...found.keys()].slice(0, MAX_TOLD).map((id) => `\`${id}\``);
  const more = found.size > MAX_TOLD ? ` and ${found.size - MAX_TOLD} more` : '';
  throw new SublError('usage', `\`${text}\` is a part of ${found.size} ids`, {
    help: `give more of the one that is meant: ${told.join(', ')}${more}`,
  });
}

/** Ids of calls may have nothing but digits: with a zero before them they are no number. */
const ENTRY = /^([1-9][0-9]{0,14})(?:\.([0-9a-f]{64}))?$/;

function isEntry(text: string): boolean {
  return ENTRY.test(text);
}

function findEntry(reader: LedgerReader, text: string): LedgerRow | undefined {
  const [, seq, leaf] = ENTRY.exec(text) ?? [];
  const row = reader.entry(Number(seq));
  if (row === undefined || leaf === undefined || row.leaf === leaf) return row;
  throw new SublError('ledger_corrupt', `entry ${seq} does not have the hash of that audit reference`, {
    help: 'the ledger was changed since, or this is another ledger: run `sub audit verify`',
  });
}
