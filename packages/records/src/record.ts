import { numberAt, objectAt, textAt, valueAt, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { objectOf } from './objects/object.js';
import { connectionJson, connectionOf } from './connections/connection.js';
import { layerDecisionJson, layerDecisionOf } from './layers/decision.js';
import { destinationOf } from './connections/destination.js';

/** One tool call or one action, put together from its entries. A part that is null is not recorded (yet). */
export interface CallRecord {
  /** The entry that opened it. */
  readonly first: LedgerRow;
  /** A call's decision, or null for an action and for a call that was not decided. */
  readonly decision: LedgerRow | null;
  /** The entry that reports its outcome. */
  readonly last: LedgerRow | null;
  /** The command, query, files or URL of a call; null where it names none, and for an action. */
  readonly object: string | null;
}

/** Entries that open a record. A rejected action is a record of one entry, and so is a stop of everything. */
export const OPENING = ['tool_call_start', 'action_pending', 'action_rejected', 'panicked'] as const;

/** Tells whether an entry opens a record. */
export function opensRecord({ type }: Pick<LedgerRow, 'type'>): boolean {
  return OPENING.some((one) => one === type);
}

/** Puts together the record that `first` opens. */
export function recordOf(reader: LedgerReader, first: LedgerRow): CallRecord {
  const next = reader.referring(first.seq) ?? null;
  if (first.type !== 'tool_call_start') return { first, decision: null, last: next, object: null };
  return {
    first,
    decision: next,
    object: objectOf(reader, first, next),
    last: next === null ? null : (reader.referring(next.seq) ?? null),
  };
}

/**
 * The record that an entry belongs to; undefined for entries that belong to none, or whose beginning stands
 * in a file that is not there.
 */
export function recordAround(reader: LedgerReader, row: LedgerRow): CallRecord | undefined {
  let current: LedgerRow | undefined = row;
  while (current !== undefined && !opensRecord(current)) {
    const { ref }: LedgerRow = current;
    current = ref === null || !reader.holds(ref) ? undefined : reader.entry(ref);
  }
  return current === undefined ? undefined : recordOf(reader, current);
}

/** Server and tool of a call, or null for an action. */
export function toolOf(record: CallRecord): readonly [string, string] | null {
  const { tool } = record.first;
  return tool === null || typeof tool === 'string' ? null : tool;
}

/** The action that its own entry stands for, which is written also where nothing else can be. */
export const PANIC = 'panic.begin';

/** The name of an action, or null for a call. A rejected request may have named one that does not exist. */
export function actionOf(record: CallRecord): string | null {
  const { tool, data, type } = record.first;
  if (typeof tool === 'string') return tool;
  if (type === 'panicked') return PANIC;
  return tool === null ? textAt(data, 'action') || null : null;
}

/** How it ended: the status of a call or an action; null while it is open. */
export function statusOf(record: CallRecord): string | null {
  const { code, type } = record.first;
  if (type === 'action_rejected') return code;
  if (type === 'panicked') return 'success';
  return record.last?.code ?? null;
}

/** How actions end that were not executed. */
const REFUSED_ACTIONS: ReadonlySet<string> = new Set(['rejected', 'rate_limited', 'requires_approval']);

/** Whether a call, an action or a connection was not let through, by whatever decision. */
export function wasRefused(record: CallRecord): boolean {
  const decision = record.decision?.code ?? null;
  if (decision !== null) return decision !== 'ALLOW';
  return REFUSED_ACTIONS.has(statusOf(record) ?? '') || endsRefused(record.last);
}

/** Whether this entry is the one by which its record counts as refused. */
export function refuses(row: LedgerRow): boolean {
  if (row.type === 'tool_call_decision') return row.code !== 'ALLOW';
  return row.type === 'action_rejected' || endsRefused(row);
}

/** A connection can be refused after it was made, for what is spoken on it. */
function endsRefused(row: LedgerRow | null): boolean {
  return textAt(row?.data ?? null, 'outcome') === 'refused';
}

/** The time and size that an end reports, and why something was refused or failed. */
export interface RecordFacts {
  /** The rule that decided, also where the call was allowed and failed later. */
  readonly ruleId: string;
  /** That rule is one of the policy that the run brought along. */
  readonly of: 'home' | 'project' | 'run';
  /** The code and the words for how it came out: the failure's where it failed, else the decision's. */
  readonly reasonCode: string;
  readonly reason: string;
  /** It was let through and then failed: the rule is not to blame. */
  readonly failed: boolean;
  readonly latencyMs: number | undefined;
  readonly bytesIn: number | undefined;
  readonly bytesOut: number | undefined;
}

/** Reads those facts off the record's entries. */
export function factsOf(record: CallRecord): RecordFacts {
  const decision = objectAt(record.decision?.data ?? null, 'decision');
  const end = record.last?.data ?? null;
  const failure = objectAt(record.first.type === 'action_rejected' ? record.first.data : end, 'error');
  const letThrough = record.decision === null || record.decision.code === 'ALLOW';
  const failed = letThrough && textAt(failure, 'message') !== '';
  return {
    ruleId: textAt(decision, 'rule_id'),
    of: ownerOf(record.decision?.data ?? null),
    reasonCode: failed
      ? textAt(failure, 'code') || textAt(failure, 'class')
      : textAt(decision, 'explain', 'reason_code'),
    reason: failed
      ? textAt(failure, 'message')
      : textAt(decision, 'explain', 'summary') || reasonOfPanic(record.first),
    failed,
    // An action's two entries are all that tells its time.
    latencyMs:
      numberAt(end, 'latency_ms') ??
      (record.last?.type === 'action_result' ? record.last.ts - record.first.ts : undefined),
    bytesIn: numberAt(record.first.data, 'call', 'bytes_in'),
    bytesOut: numberAt(end, 'bytes_out'),
  };
}

/** The operator's own words for stopping everything. */
function reasonOfPanic({ data, type }: LedgerRow): string {
  return type === 'panicked' ? textAt(data, 'reason') : '';
}

/** Whose policy a decision was made by. */
export function ownerOf(decision: JsonValue): RecordFacts['of'] {
  const by = textAt(decision, 'facts', 'policies', 'by');
  return by === 'run' || by === 'project' ? by : 'home';
}

/** The record for programs; the names are documented in docs/cli.md. */
export function recordJson(record: CallRecord): JsonObject {
  const { first, decision, last } = record;
  const tool = toolOf(record);
  const facts = factsOf(record);
  const bearing = decision ?? first;
  const common = {
    seq: first.seq,
    audit_ref: `${bearing.seq}.${bearing.leaf}`,
    ts: new Date(first.ts).toISOString(),
    run_id: first.runId,
    status: statusOf(record),
    reason_code: orNull(facts.reasonCode),
    summary: orNull(facts.reason),
    latency_ms: facts.latencyMs ?? null,
    bytes_out: facts.bytesOut ?? null,
    entries: [first, decision, last].flatMap((row) => (row === null ? [] : [row.seq])),
  };
  if (tool === null) {
    const connection = connectionOf(record);
    const layer = layerDecisionOf(record);
    const request = first.requestId ?? textAt(first.data, 'req', 'id');
    return {
      kind: 'action',
      action: actionOf(record),
      destination: orNull(destinationOf(first)),
      account: orNull(textAt(first.data, 'account')),
      request_id: orNull(request),
      ...(connection === undefined ? {} : { connection: connectionJson(connection) }),
      ...(layer === undefined ? {} : { layer: layerDecisionJson(layer) }),
      ...common,
    };
  }
  const diff = valueAt(last?.data ?? null, 'fs_diff');
  return {
    kind: 'call',
    call_id: orNull(textAt(first.data, 'call', 'call_id')),
    server_name: tool[0],
    tool_name: tool[1],
    object: record.object,
    args_hash: orNull(textAt(first.data, 'call', 'args_hash')),
    bytes_in: facts.bytesIn ?? null,
    decision: decision?.code ?? null,
    rule_id: orNull(facts.ruleId),
    rule_of: decision === null ? null : facts.of,
    ...(diff === null ? {} : { fs_diff: diff }),
    ...common,
  };
}

function orNull(text: string): JsonValue {
  return text === '' ? null : text;
}
