import { numberAt, objectAt, textAt, textsAt, valueAt, type JsonValue } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { layerDecisionOf } from '../layers/decision.js';
import { toolOf, type CallRecord } from '../record.js';
import { search } from '../search.js';
import type { Reported, ReportedLayered } from './report.js';

/** Decisions that are looked at, and files that are told. */
const MOST_COMMITS = 500;
const MOST_FILES = 2000;

/** The changes of one run in layers. */
interface RunLayered {
  readonly start: LedgerRow | undefined;
  /** The sign of each path, as its newest command left it. */
  readonly paths: Map<string, string>;
  /** By the end of its world: all of the layer, which commands of other runs may have written, too. */
  readonly atEnd: Map<string, string>;
  isOfCalls: boolean;
}

/** The files that commands in worlds changed in layers over their projects, newest first, as they come. */
export class Layered {
  readonly #runs = new Map<string, RunLayered>();
  #programs = 0;
  #left = 0;

  /** Whether a call wrote into a layer: then what its words name was not written in the project. */
  static isIn(record: CallRecord): boolean {
    const [server, tool] = toolOf(record) ?? [];
    return server === 'world' && tool === 'exec' && diffOf(record.last) !== null;
  }

  /** Programs that were started in worlds, besides their first ones. */
  get programs(): number {
    return this.#programs;
  }

  call(record: CallRecord, start: LedgerRow | undefined): void {
    const run = this.#at(record.first.runId, start);
    if (run === undefined) return;
    run.isOfCalls = true;
    this.#take(run.paths, diffOf(record.last));
  }

  /** The end of a world. */
  end(row: LedgerRow, start: LedgerRow | undefined): void {
    this.#programs += startsIn(row.data);
    const run = this.#at(row.runId, start);
    // The world of a folder ends with what earlier ones have left there.
    if (run === undefined || textAt(start?.data ?? null, 'run', 'meta', 'world') !== '') return;
    this.#take(run.atEnd, diffOf(row));
  }

  /** By the commits of the record, which name so many files as a diff has. */
  told(reader: LedgerReader): Reported<ReportedLayered> {
    const all = [...this.#runs].filter(([, { paths, atEnd }]) => paths.size + atEnd.size > 0);
    if (all.length === 0) return { rows: [], left: 0 };
    const taken = takenIn(reader, Math.min(...all.map(([, { start }]) => start?.ts ?? 0)));
    const rows = all.flatMap(([runId, { paths, atEnd, start, isOfCalls }]) =>
      [...(isOfCalls ? paths : atEnd)].map(([path, sign]) => ({
        folder: textAt(start?.data ?? null, 'run', 'project'),
        path,
        sign,
        isTaken: taken.get(runId)?.has(path) === true,
      })),
    );
    return { rows: rows.slice(0, MOST_FILES), left: this.#left + Math.max(0, rows.length - MOST_FILES) };
  }

  #at(runId: string | null, start: LedgerRow | undefined): RunLayered | undefined {
    if (runId === null) return undefined;
    const known = this.#runs.get(runId);
    if (known !== undefined || this.#runs.size >= MOST_FILES) return known;
    const fresh: RunLayered = { start, paths: new Map(), atEnd: new Map(), isOfCalls: false };
    this.#runs.set(runId, fresh);
    return fresh;
  }

  #take(into: Map<string, string>, diff: JsonValue): void {
    const lines = textsAt(diff, 'paths');
    // Each with a sign and a blank before it.
    for (const line of lines) {
      const path = line.slice(2);
      if (!into.has(path) && into.size < MOST_FILES) into.set(path, line.slice(0, 1));
    }
    this.#left += Math.max(0, countIn(diff) - lines.length);
  }
}

function diffOf(row: LedgerRow | null): JsonValue {
  return valueAt(row?.data ?? null, 'fs_diff');
}

function countIn(diff: JsonValue): number {
  return ['added', 'modified', 'deleted'].reduce((sum, key) => sum + (numberAt(diff, key) ?? 0), 0);
}

function startsIn(data: JsonValue): number {
  const programs = valueAt(data, 'programs');
  const told = Array.isArray(programs) ? programs.map((one) => numberAt(one, 'count') ?? 0) : [];
  return told.reduce((sum, one) => sum + one, numberAt(data, 'programs_more') ?? 0);
}

/** The paths that commits have taken over, by the run whose world had the layer last. */
function takenIn(reader: LedgerReader, sinceMs: number): ReadonlyMap<string, ReadonlySet<string>> {
  const taken = new Map<string, Set<string>>();
  const { records } = search(reader, { action: 'layer.commit', sinceMs }, MOST_COMMITS, null);
  for (const record of records) {
    const decision = layerDecisionOf(record);
    if (decision === undefined || decision.done === undefined) continue;
    const paths = taken.get(decision.runId) ?? new Set();
    for (const line of textsAt(objectAt(decision.diff), 'paths')) paths.add(line.slice(2));
    taken.set(decision.runId, paths);
  }
  return taken;
}
