import { isIngestKey, SublError, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { entryJson } from './entry.js';
import { findRow, runNamed } from './find.js';
import { flaggedJson, flagsOf } from './flags.js';
import { hooksOf } from './hooks.js';
import { hintJson, hintOfCall, type HintRecord } from './hints.js';
import { recordAround, type CallRecord } from './record.js';
import { ingestedRun, type IngestedRun } from './runs/ingested.js';
import { runEnd, runRecord, type RunRecord } from './runs/runs.js';

/** A call or an action with all that is recorded of it. */
export interface ShownRecord {
  readonly kind: 'record';
  readonly record: CallRecord;
  readonly rows: readonly LedgerRow[];
  /** The entry that the audit reference names. */
  readonly bearing: LedgerRow;
  readonly flags: readonly LedgerRow[];
  /** The entries of the client's hooks about it, where its message passed the gateway. */
  readonly hooks: readonly LedgerRow[];
  /** Of a refused call; undefined where it got none. */
  readonly hint: HintRecord | undefined;
  /** Its run goes on: a hint is promoted for as long as its run lives. */
  readonly isLive: boolean;
}

/** All that a name can stand for. */
export type Shown =
  | ShownRecord
  | { readonly kind: 'entry'; readonly rows: readonly LedgerRow[] }
  | { readonly kind: 'run'; readonly run: RunRecord }
  | { readonly kind: 'ingested'; readonly run: IngestedRun };

/**
 * Finds the call, the entry or the run that a person names, as `findRow` and `findRun` take names. Throws
 * `not_found`, and the errors of those two.
 */
export function shown(reader: LedgerReader, named: string): Shown {
  if (isIngestKey(named)) return shownIngested(reader, named);
  const row = findRow(reader, named);
  if (row === undefined) return shownRun(reader, named);
  const record = recordAround(reader, row);
  if (record === undefined) return { kind: 'entry', rows: [row] };
  const { first, decision, last } = record;
  return {
    kind: 'record',
    record,
    rows: [first, decision, last].filter((entry) => entry !== null),
    bearing: decision ?? first,
    flags: flagsOf(reader, record),
    hooks: hooksOf(reader, record),
    hint: (decision?.code ?? 'ALLOW') === 'ALLOW' ? undefined : hintOfCall(reader, record),
    isLive: first.runId !== null && runEnd(reader, first.runId) === undefined,
  };
}

/** A call, an action or an entry for programs; the names are documented in docs/cli.md. */
export function shownJson(reader: LedgerReader, found: Extract<Shown, { rows: unknown }>): JsonObject {
  const entries = found.rows.map((entry) => entryJson(reader, entry));
  if (found.kind === 'entry') return { entries };
  const hint = found.hint === undefined ? null : hintJson(found.hint);
  return { record: flaggedJson(reader, found.record), hint, entries };
}

function shownIngested(reader: LedgerReader, key: string): Shown {
  const run = ingestedRun(reader, key);
  if (run !== undefined) return { kind: 'ingested', run };
  throw new SublError('not_found', `no run with the name \`${key}\` was ingested`, {
    help: '`sub runs --ingested` lists them',
  });
}

/** A run, where no call and no entry has that name. */
function shownRun(reader: LedgerReader, named: string): Shown {
  const runId = runNamed(reader, named);
  const run = runId === undefined ? undefined : runRecord(reader, runId);
  if (run !== undefined) return { kind: 'run', run };
  throw new SublError('not_found', `there is no call, entry or run \`${named}\``, {
    help: '`sub query` lists calls with their numbers, `sub runs` the runs',
  });
}
