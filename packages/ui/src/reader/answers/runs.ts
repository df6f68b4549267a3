import { SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader, RunRows } from '@subluminal/ledger';
import {
  findRun,
  projectOf,
  runEnd,
  runJson,
  runRecords,
  runStart,
  type RunCounts,
  type RunRecord,
} from '@subluminal/records';
import type { Agents, RunRow, RunsPage } from '../../protocol/runs.js';
import type { Question } from '../questions.js';
import type { Sparks } from '../sparks.js';

/** Runs, newest first, each with its activity as far as that is counted. */
export function runsPage(
  reader: LedgerReader,
  counts: RunCounts,
  sparks: Pick<Sparks, 'of'>,
  { before, limit }: Extract<Question, { ask: 'runs' }>,
): RunsPage {
  const { next, rows } = reader.runs({ limit, cursor: before });
  const runs = rows.length === 0 ? [] : runRecords(reader, rows, counts).map(runRow);
  return { runs: runs.map((run) => ({ ...run, spark: sparks.of(run.run) })), next };
}

/** Runs whose agents are named at once. */
const MOST_NAMED = 100;

/** The agents of the newest runs. */
export function agents(reader: LedgerReader): Agents {
  const { rows } = reader.byType('run_start', { limit: MOST_NAMED });
  return {
    runs: rows.flatMap(({ data, runId }) =>
      runId === null
        ? []
        : [
            {
              run: runId,
              agent: textAt(data, 'agent_id'),
              client: textAt(data, 'client'),
              folder: projectOf(data),
            },
          ],
    ),
  };
}

/** One run. @throws SublError `not_found` */
export function runNamed(reader: LedgerReader, counts: RunCounts, named: string): RunRow {
  const runId = findRun(reader, named);
  const start = runStart(reader, runId);
  if (start === undefined)
    throw new SublError('not_found', `the beginning of the run \`${runId}\` is not there`);
  const rows: RunRows = { runId, start, end: runEnd(reader, runId) ?? null };
  const [run] = runRecords(reader, [rows], counts);
  if (run === undefined) throw new SublError('not_found', `there is no run \`${named}\``);
  return runRow(run);
}

function runRow(run: RunRecord): RunRow {
  const { end, runId, start } = run;
  const json = runJson(run);
  const count = (name: string): number => {
    const value = json[name];
    return typeof value === 'number' ? value : 0;
  };
  const unusual = Object.values(Object(json['unusual']) as Record<string, unknown>);
  return {
    run: runId,
    seq: start.seq,
    agent: textAt(json, 'agent_id'),
    client: textAt(json, 'client'),
    env: textAt(json, 'env'),
    attested: json['attested'] === true,
    folder: textAt(json, 'project') || null,
    began: start.ts,
    ended: end?.ts ?? null,
    state: end === null ? 'live' : textAt(json, 'status'),
    calls: count('calls_total'),
    refused: count('calls_blocked') - count('calls_asked'),
    asked: count('calls_asked'),
    errors: count('errors_total'),
    net: count('connections_total'),
    net_refused: count('connections_refused'),
    names_refused: run.connections?.names ?? 0,
    unusual: unusual.reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : 0), 0),
  };
}
