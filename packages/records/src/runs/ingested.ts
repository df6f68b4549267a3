import {
  valueAt,
  canonicalize,
  isJsonObject,
  numberAt,
  objectAt,
  textAt,
  type JsonObject,
} from '@subluminal/core-types';
import type { LedgerReader, LedgerRow, Page } from '@subluminal/ledger';

/** A run of another place, as far as it was taken in. */
export interface IngestedRun {
  readonly key: string;
  /** The entry that holds its beginning. */
  readonly first: LedgerRow;
  /** The newest entry of it. */
  readonly newest: LedgerRow;
}

const PAGE = 100;

/** The run with that name here; undefined where there is none. */
export function ingestedRun(reader: LedgerReader, key: string): IngestedRun | undefined {
  const [first] = reader.byAction(key, { limit: 1, order: 'asc' }).rows;
  const [newest] = reader.byAction(key, { limit: 1 }).rows;
  if (first?.type !== 'run_ingested' || newest === undefined) return undefined;
  return { key, first, newest };
}

/** Ingested runs, the ones that came last first. */
export function* ingestedRuns(reader: LedgerReader): Generator<IngestedRun> {
  let cursor: number | null = null;
  do {
    const page: Page<LedgerRow> = reader.byType('run_ingested', { limit: PAGE, cursor });
    for (const row of page.rows) {
      if (numberAt(row.data, 'first') !== 0 || typeof row.tool !== 'string') continue;
      const run = ingestedRun(reader, row.tool);
      if (run !== undefined) yield run;
    }
    cursor = page.next;
  } while (cursor !== null);
}

/** Its events in their order, one entry's after the other's. */
export function* ingestedEvents(reader: LedgerReader, key: string): Generator<JsonObject> {
  let cursor: number | null = null;
  do {
    const page: Page<LedgerRow> = reader.byAction(key, { limit: 10, order: 'asc', cursor });
    for (const { data } of page.rows) {
      const events = valueAt(data, 'events');
      if (Array.isArray(events)) for (const event of events) if (isJsonObject(event)) yield event;
    }
    cursor = page.next;
  } while (cursor !== null);
}

/** The same as canonical texts. */
export function* ingestedTexts(reader: LedgerReader, key: string): Generator<string> {
  for (const event of ingestedEvents(reader, key)) yield canonicalize(event);
}

/** The run for programs; the names are documented in docs/cli.md. */
export function ingestedJson({ key, first, newest }: IngestedRun): JsonObject {
  const events = valueAt(first.data, 'events');
  const [start] = Array.isArray(events) ? events : [];
  const identity = start !== undefined && isJsonObject(start) ? start : {};
  return {
    ingested: true,
    key,
    run_id: textAt(newest.data, 'run_id'),
    source: objectAt(newest.data, 'source'),
    verified: textAt(newest.data, 'verified'),
    by: textAt(newest.data, 'by'),
    agent_id: textAt(identity, 'agent_id'),
    client: textAt(identity, 'client'),
    env: textAt(identity, 'env'),
    ended: valueAt(newest.data, 'ended') === true,
    events: (numberAt(newest.data, 'first') ?? 0) + (numberAt(newest.data, 'count') ?? 0),
    started_at: textAt(identity, 'ts'),
    ingested_at: new Date(first.ts).toISOString(),
    entries: [first.seq, newest.seq],
  };
}
