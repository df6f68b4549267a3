import { listAt, numberAt, objectAt, PLANE_ENTRIES, textAt, textsAt } from '@subluminal/core-types';
import type { EntryType, LedgerReader, LedgerRow } from '@subluminal/ledger';
import { reasonText } from '@subluminal/plane';
import {
  actionOf,
  type CallRecord,
  findRun,
  kindOf,
  type RunCounts,
  opensRecord,
  recordOf,
} from '@subluminal/records';
import type { LaneKind, RunTimeline, TimelineItem } from '../../protocol/runs.js';
import { changesText, hasChanges } from '../changes.js';
import { rowOf } from '../row-of.js';
import { runNamed } from './runs.js';

const PAGE = 500;
const LABEL = 120;
/** Entries before the end of a world in which its commands are looked for. */
const NEAR = 500;

/** Entries that are a moment of their own, and the lane of each. */
const MOMENTS: ReadonlyMap<EntryType, LaneKind> = new Map([
  ['run_start', 'run'],
  ['run_end', 'run'],
  ['hook_event', 'hook'],
  ['world_begin', 'world'],
  ['world_end', 'world'],
  ['upstream_begin', 'run'],
  ['upstream_end', 'run'],
  ['policy_loaded', 'policy'],
  ['policy_refused', 'policy'],
  ['breaker_trip', 'policy'],
  ['hint_issued', 'policy'],
  ['hint_promoted', 'answer'],
  ['approval_requested', 'answer'],
  ['approval_granted', 'answer'],
  ['approval_denied', 'answer'],
  ['tools_held', 'policy'],
  ['anomaly', 'policy'],
  ['plane.boundary', 'plane'],
  ['plane.checkpoint', 'plane'],
  ['plane.steer', 'plane'],
]);

/** Lanes with another name than that of their kind. */
const LANES: ReadonlyMap<LaneKind, string> = new Map([
  ['hook', 'hooks'],
  ['plane', 'stretches of work'],
]);

/**
 * The deeds of a run behind an entry, oldest first, and those to look at again.
 *
 * @throws SublError `not_found`
 */
export function timeline(
  reader: LedgerReader,
  counts: RunCounts,
  {
    after,
    again,
    run: named,
  }: { readonly after: number; readonly again: readonly number[]; readonly run: string },
): RunTimeline {
  const runId = findRun(reader, named);
  const page = reader.byRun(runId, { order: 'asc', limit: PAGE, cursor: after });
  const items = page.rows.flatMap((row) => itemsOf(reader, row));
  const hasMore = page.next !== null;
  return {
    run: after === 0 || !hasMore ? runNamed(reader, counts, runId) : null,
    items: [...again.flatMap((seq) => itemsAt(reader, runId, seq)), ...joined(items, page.rows)],
    upto: page.rows.at(-1)?.seq ?? after,
    has_more: hasMore,
  };
}

function itemsAt(reader: LedgerReader, runId: string, seq: number): readonly TimelineItem[] {
  const row = reader.holds(seq) ? reader.entry(seq) : undefined;
  return row?.runId === runId && opensRecord(row) ? ofRecord(reader, recordOf(reader, row)) : [];
}

function itemsOf(reader: LedgerReader, row: LedgerRow): readonly TimelineItem[] {
  if (opensRecord(row)) return ofRecord(reader, recordOf(reader, row));
  const kind = MOMENTS.get(row.type);
  if (kind === undefined) return [];
  return [
    moment(row, kind),
    ...(row.type === 'world_end' && !isTold(reader, row) ? changes(row, row.seq) : []),
  ];
}

/** Whether the commands of a world told of all the files that its end tells of. */
function isTold(reader: LedgerReader, { data, runId, seq }: LedgerRow): boolean {
  const { rows } = reader.byRun(runId ?? '', { limit: NEAR, cursor: seq });
  const world = textAt(data, 'world_id');
  const begun = rows.findIndex((row) => row.type === 'world_begin' && textAt(row.data, 'world_id') === world);
  const ends = rows.slice(0, begun < 0 ? NEAR : begun).filter(({ type }) => type === 'tool_call_end');
  const told = new Set(ends.flatMap((row) => textsAt(row.data, 'fs_diff', 'paths')));
  const paths = textsAt(data, 'fs_diff', 'paths');
  return paths.length > 0 && paths.every((path) => told.has(path));
}

function ofRecord(reader: LedgerReader, record: CallRecord): readonly TimelineItem[] {
  const { first, last } = record;
  const row = rowOf(reader, record);
  const isWorld = row.server === 'world';
  const kind: LaneKind = isWorld ? 'world' : kindOf(record) === 'net' ? 'net' : 'call';
  const end = last?.ts ?? (row.refused ? first.ts : null);
  const item: TimelineItem = {
    seq: row.seq,
    last: row.last,
    lane: isWorld ? 'commands' : kind === 'net' ? 'net' : (row.server ?? 'actions'),
    kind,
    from: row.ts,
    to: end,
    ms: row.refused ? null : row.ms,
    label: [row.tool ?? actionOf(record) ?? '', row.object ?? ''].join(' ').trim().slice(0, LABEL),
    decision: row.decision,
    answer: row.answer,
    status: row.status,
    refused: row.refused,
    parent: null,
  };
  return [item, ...changes(last, item.seq)];
}

/** The files that a call or a world changed in its layer, as its last entry tells: they are its by its id. */
function changes(last: LedgerRow | null, of: number): readonly TimelineItem[] {
  const diff = objectAt(last?.data ?? null, 'fs_diff');
  if (last === null || !hasChanges(diff)) return [];
  return [
    {
      seq: last.seq,
      last: last.seq,
      lane: 'files',
      kind: 'file',
      from: last.ts,
      to: last.ts,
      ms: null,
      label: `in the layer: ${changesText(diff)}`.slice(0, LABEL),
      decision: null,
      answer: null,
      status: null,
      refused: false,
      parent: { seq: of, by: 'id' },
    },
  ];
}

function moment(row: LedgerRow, kind: LaneKind): TimelineItem {
  const { data, ref, seq, ts, type } = row;
  return {
    seq,
    last: seq,
    lane: LANES.get(kind) ?? kind,
    kind,
    from: ts,
    to: ts,
    ms: null,
    label: labelOf(row).slice(0, LABEL),
    decision: null,
    answer: null,
    status: row.code,
    refused: type === 'approval_denied' || type === 'policy_refused',
    parent: ref !== null && numberAt(data, 'connection') === undefined ? { seq: ref, by: 'id' } : null,
  };
}

function labelOf(row: LedgerRow): string {
  const { data, tool, type } = row;
  if (type === 'plane.boundary') return boundaryText(row);
  if (type === 'plane.steer') return `told the agent: ${textAt(data, 'text')}`;
  if (type === 'plane.checkpoint') return `checkpoint: ${textAt(data, 'mechanism')}`;
  if (type === 'world_end') return worldEndText(row);
  const name = typeof tool === 'string' ? tool : (tool?.join('.') ?? '');
  const said =
    textAt(data, 'hook', 'event') ||
    textAt(data, 'rule_id') ||
    textAt(data, 'policy', 'policy_id') ||
    textAt(data, 'server_name') ||
    textAt(data, 'kind');
  return [type.replaceAll('_', ' '), name, said].filter((part) => part !== '').join(' ');
}

/** The programs that started in a world. */
function worldEndText({ data }: LedgerRow): string {
  const programs = listAt(data, 'programs').map((one) => textAt(one, 'path'));
  const count = programs.length + (numberAt(data, 'programs_more') ?? 0);
  return count === 0 ? 'world end' : `world end, programs that started: ${programs.join(', ')}`;
}

/** Where the work changed, and why. */
function boundaryText({ data }: LedgerRow): string {
  const read = PLANE_ENTRIES['plane.boundary'].safeParse(data);
  if (!read.success) return 'boundary';
  const { from, to, why } = read.data;
  return `boundary: ${reasonText(why, from, to)}`;
}

/**
 * Joins by the client's own id of a call, which its hooks carry too; else a hook of a tool belongs to the
 * call that it lies within, and only by its time.
 */
function joined(items: readonly TimelineItem[], rows: readonly LedgerRow[]): readonly TimelineItem[] {
  const byId = new Map<string, number>();
  const idOf = new Map<number, string>();
  for (const { data, seq, type } of rows) {
    const context = objectAt(data, 'call', 'context');
    const id =
      textAt(data, 'hook', 'tool_use_id') ||
      textAt(context, 'tool_use_id') ||
      textAt(context, 'claudecode/toolUseId') ||
      textAt(context, 'callId');
    if (id === '') continue;
    idOf.set(seq, id);
    if (type === 'tool_call_start') byId.set(id, seq);
  }
  return items.map((item) => {
    if (item.kind !== 'hook' || item.parent !== null) return item;
    const named = byId.get(idOf.get(item.seq) ?? '');
    if (named !== undefined) return { ...item, parent: { seq: named, by: 'id' } };
    const around = items.filter(
      ({ from, kind, to }) => kind === 'call' && from <= item.from && (to ?? item.from) >= item.from,
    );
    const [only] = around;
    return only !== undefined && around.length === 1
      ? { ...item, parent: { seq: only.seq, by: 'time' } }
      : item;
  });
}
