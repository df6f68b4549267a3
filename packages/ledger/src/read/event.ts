import { INTERFACE_VERSION, isJsonObject, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { EntryType } from '../entry/kinds.js';
import type { LedgerRow } from './row.js';

/** What an entry's event takes from elsewhere in the ledger. */
export interface EventSources {
  /** The `run_start` of the run; undefined where the ledger holds none. */
  readonly runStart: (runId: string) => LedgerRow | undefined;
  /** The newest `upstream_begin` of a shim in its run. */
  readonly upstream: (runId: string, shimId: string) => LedgerRow | undefined;
  /** The text of a blob; null where it was dropped. */
  readonly blob: (seq: number, slot: string) => string | null;
}

/** Stands in for a shim where the gateway itself is the producer of an event. */
const GATEWAY = 'gateway';

/** Members of the data that the gateway keeps for itself. */
const INTERNAL: ReadonlySet<string> = new Set([
  'shim',
  'req',
  'host_id',
  'agent_id',
  'client',
  'env',
  'principal',
]);
/** Entries that are events of Contract A; the others are Subluminal's own. */
const CONTRACT_EVENTS: ReadonlySet<EntryType> = new Set<EntryType>([
  'run_start',
  'tool_call_start',
  'tool_call_decision',
  'tool_call_end',
  'run_end',
  'hint_issued',
  'policy_loaded',
  'secret_injection',
  'shim_health',
  'breaker_trip',
]);
const CALL_EVENTS: ReadonlySet<EntryType> = new Set([
  'tool_call_start',
  'tool_call_decision',
  'tool_call_end',
]);

/** Tells whether entries of that type are events of Contract A. */
export function isContractEvent(type: EntryType): boolean {
  return CONTRACT_EVENTS.has(type);
}

/**
 * Renders an entry as the event of Contract A: its own fields, and the envelope from the run's `run_start`
 * and the shim's `upstream_begin`, where those constant fields stand once. Previews are put back in place
 * from their blobs. `audit_ref` is added to every event.
 *
 * @returns null for entries of the gateway itself, which belong to no run.
 */
export function renderEvent(row: LedgerRow, sources: EventSources): JsonObject | null {
  if (row.runId === null) return null;
  const start = row.type === 'run_start' ? row : sources.runStart(row.runId);
  const identity = start?.data ?? {};
  const shim = textOf(row.data, 'shim') ?? textOf(row.data, 'shim_id');
  const upstream = shim === undefined ? undefined : sources.upstream(row.runId, shim);
  return {
    // First: a member of the data that has the name of one of the envelope's stands in the entry alone.
    ...ownFields(row, sources),
    v: INTERFACE_VERSION,
    type: row.type,
    ts: new Date(row.ts).toISOString(),
    run_id: row.runId,
    agent_id: textOf(identity, 'agent_id') ?? 'unknown',
    client: textOf(identity, 'client') ?? 'unknown',
    env: textOf(identity, 'env') ?? 'unknown',
    source: {
      host_id: textOf(identity, 'host_id') ?? 'unknown',
      proc_id: producerOf(row, upstream, identity),
      shim_id: shim ?? GATEWAY,
    },
    ...optional('principal', identity['principal']),
    ...optional('workload', identity['workload']),
    audit_ref: `${row.seq}.${row.leaf}`,
  };
}

/**
 * The process of the shim, else the gateway's: the end of a run has its own, all other entries that which
 * began the run.
 */
function producerOf(row: LedgerRow, upstream: LedgerRow | undefined, identity: JsonObject): string {
  const known = upstream?.data ?? (row.type === 'run_end' ? row.data : identity);
  return textOf(known, 'proc_id') ?? GATEWAY;
}

function ownFields(row: LedgerRow, sources: EventSources): JsonObject {
  const fields: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(row.data)) if (!INTERNAL.has(key)) fields[key] = value;
  if (CALL_EVENTS.has(row.type) && Array.isArray(row.tool)) {
    const [server, tool]: readonly string[] = row.tool;
    const call = objectOf(fields['call']);
    delete fields['payload_hash'];
    fields['call'] = { ...call, ...optional('server_name', server), ...optional('tool_name', tool) };
  }
  if (row.type === 'run_start' || row.type === 'run_end') delete fields['proc_id'];
  let whole: JsonObject = fields;
  for (const slot of Object.keys(row.blobs)) {
    const text = sources.blob(row.seq, slot);
    if (text !== null) whole = withText(whole, slot.split('.'), text);
  }
  return whole;
}

/** Puts a text at a path of member names. */
function withText(object: JsonObject, path: readonly string[], text: string): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  return { ...object, [key]: rest.length === 0 ? text : withText(objectOf(object[key]), rest, text) };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

function optional(key: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
