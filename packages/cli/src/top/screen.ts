import { textAt } from '@subluminal/core-types';
import type { CallRecord, RunRecord } from '@subluminal/records';
import { columnsOf } from '../output/columns.js';
import { clip } from '../output/escape.js';
import { folded } from '../output/folded.js';
import type { Surface } from '../output/style.js';
import { type Cell, type Column, table } from '../output/table.js';
import { span } from '../output/time.js';
import { recordLine, shortRun } from '../record/lines.js';
import type { Told } from './strip.js';

/** All that stands on the screen. */
export interface Shown {
  readonly strip: readonly Told[];
  /** Live runs, the newest first, each with its calls of the last minute. */
  readonly runs: readonly { readonly run: RunRecord; readonly perMinute: number }[];
  /** Those that a person was asked about among them, the newest first. */
  readonly refusals: readonly CallRecord[];
  /** The one that is told about; its index among the refusals. */
  readonly at: number;
  /** That one in words, for so many columns. */
  readonly why: (columns: number) => readonly string[];
  /** It alone is shown. */
  readonly isOpen: boolean;
  readonly now: number;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const KEYS = 'j k move · Enter all of it · q end';
const KEYS_OPEN = 'Esc back · j k next · q end';
const NOBODY = 'no run is live: `sub run -- CMD` starts one';
const NOTHING = 'nothing was refused, and nobody was asked';
const TITLE = 'REFUSED OR ASKED';
/** More runs than this, and no room is left for refusals. */
const MOST_RUNS = 8;

const COLUMNS: readonly Column[] = [
  { title: 'RUN' },
  { title: 'AGENT', max: 24, min: 6 },
  { title: 'CLIENT', max: 16, spare: 2 },
  { title: 'UP', align: 'right', spare: 1 },
  { title: 'CALLS', align: 'right' },
  { title: 'A MINUTE', align: 'right' },
  { title: 'REFUSED', align: 'right' },
  { title: 'ASKED', align: 'right' },
  { title: 'FAILED', align: 'right', spare: 3 },
  { title: 'NET REFUSED', align: 'right', spare: 4 },
];

/** The lines of one screen, no more than it has rows, none longer than it has columns. */
export function screenOf(shown: Shown, { columns, rows }: Size, paint: Surface['paint']): readonly string[] {
  const surface = { paint, width: columns };
  const head = stripLines(shown.strip, surface);
  const foot = paint('dim', clip(shown.isOpen ? KEYS_OPEN : KEYS, columns));
  const room = Math.max(0, rows - head.length - 1);
  const body = shown.isOpen ? ['', ...shown.why(columns)] : bodyOf(shown, room, surface);
  // A line of a policy is as long as its author made it.
  const cut = body.flatMap((line) => folded(line, columns)).slice(0, room);
  return [...head, ...cut, ...Array.from({ length: room - cut.length }, () => ''), foot].slice(0, rows);
}

function bodyOf(shown: Shown, room: number, surface: Surface): readonly string[] {
  const { refusals, runs } = shown;
  const forRuns = Math.min(runs.length, MOST_RUNS, Math.max(1, Math.floor(room / 4)));
  const runLines = runs.length === 0 ? [surface.paint('dim', NOBODY)] : runTable(shown, forRuns, surface);
  const why = refusals.length === 0 ? [] : shown.why(surface.width);
  const left = room - runLines.length - 3;
  // The list has half of the rest at least, and the words about one of it what it does not need.
  const forList = Math.min(refusals.length, Math.max(Math.floor(left / 2), left - why.length - 1));
  const list = refusals.length === 0 ? [surface.paint('dim', NOTHING)] : listLines(shown, forList, surface);
  const title = refusals.length === 0 ? TITLE : `${TITLE}, the newest of ${refusals.length} first`;
  return ['', ...runLines, '', surface.paint('dim', clip(title, surface.width)), ...list, '', ...why];
}

function runTable({ runs, now }: Shown, most: number, surface: Surface): readonly string[] {
  const rows = runs.slice(0, most).map(({ run, perMinute }): readonly Cell[] => {
    const { runId, start, counts, refusals, connections } = run;
    const count = (name: string): number => Number(textAt(counts, name) || '0');
    const warns = (number: number): Cell => ({
      text: String(number),
      tone: number > 0 ? 'warn' : 'plain',
    });
    return [
      { text: shortRun(runId) },
      { text: textAt(start.data, 'agent_id') },
      { text: textAt(start.data, 'client') },
      { text: span(now - start.ts) },
      { text: String(count('calls_total')) },
      { text: String(perMinute) },
      warns(count('calls_blocked') - refusals.asked),
      warns(refusals.asked),
      warns(count('errors_total')),
      warns((connections?.refused ?? 0) + (connections?.names ?? 0)),
    ];
  });
  const more = runs.length - rows.length;
  return [
    ...table(COLUMNS, rows, surface),
    ...(more > 0 ? [surface.paint('dim', `and ${more} more: \`sub runs\``)] : []),
  ];
}

/** So many of the refusals, around the one that is told about. */
function listLines({ refusals, at }: Shown, most: number, { paint, width }: Surface): readonly string[] {
  const from = Math.max(0, Math.min(at - Math.floor(most / 2), refusals.length - most));
  return refusals.slice(from, from + most).map((record, index) => {
    const isAt = from + index === at;
    const line = recordLine(record, { paint, width: Math.max(1, width - 2) });
    return `${isAt ? paint('bold', '>') : ' '} ${line}`;
  });
}

/** The head, in as many lines as it takes: a sentence is not parted from its tone. */
function stripLines(strip: readonly Told[], { paint, width }: Surface): readonly string[] {
  const lines: { text: string; columns: number }[] = [];
  for (const { text, tone } of strip) {
    const cut = clip(text, width);
    const last = lines.at(-1);
    const columns = columnsOf(cut);
    if (last !== undefined && last.columns + 3 + columns <= width) {
      last.text += `${paint('dim', ' · ')}${paint(tone, cut)}`;
      last.columns += 3 + columns;
    } else lines.push({ text: paint(tone, cut), columns });
  }
  return lines.map(({ text }) => text);
}
