import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { connectionOf } from '../connections/connection.js';
import { destinationOf } from '../connections/destination.js';
import { readingsOfCall, type PlaceOf } from '../objects/readings-of-call.js';
import { actionOf, factsOf, statusOf, toolOf, wasRefused, type CallRecord } from '../record.js';
import { questionIn } from '../runs/refusal-counts.js';
import { runEnd } from '../runs/runs.js';
import { Effects, isObserved, isUnread } from './effects.js';
import { Layered } from './layered.js';
import { Notable } from './notable.js';
import { Questions } from './questions.js';
import { Refusals } from './refusals.js';
import type { Report, ReportedAction, ReportedRun, ReportedTool, ReportScope } from './report.js';
import { Tally } from './tally.js';

/** Adds up what the entries of a report say. They come newest first. */
export class Gathered {
  /** Calls and actions so far. */
  count = 0;
  readonly #reader: LedgerReader;
  readonly #placeOf: PlaceOf;
  readonly #scope: ReportScope;
  readonly #effects: Effects;
  readonly #layered = new Layered();
  readonly #questions = new Questions();
  readonly #runs = new Tally<ReportedRun>();
  readonly #tools = new Tally<ReportedTool>();
  readonly #actions = new Tally<ReportedAction>();
  readonly #refusals = new Refusals();
  readonly #notable = new Notable();
  readonly #calls = {
    total: 0,
    ran: 0,
    asked: 0,
    refused: 0,
    failed: 0,
    unfinished: 0,
    observed: 0,
    unread: 0,
  };
  readonly #connections = { total: 0, refused: 0 };
  #firstMs: number | undefined;
  #lastMs: number | undefined;

  constructor(reader: LedgerReader, placeOf: PlaceOf, scope: ReportScope) {
    this.#reader = reader;
    this.#placeOf = placeOf;
    this.#scope = scope;
    this.#effects = new Effects(scope.runId !== undefined);
  }

  /** An entry of a run that opens no call and no action. */
  entry(row: LedgerRow): void {
    if (row.type === 'run_start') this.#run(row);
    if (row.type === 'world_end') this.#layered.end(row, this.#run(row)?.start);
    this.#questions.take(row);
    this.#notable.take(row);
  }

  record(record: CallRecord): void {
    this.count += 1;
    this.#firstMs = record.first.ts;
    this.#lastMs ??= record.first.ts;
    const run = this.#run(record.first);
    const tool = toolOf(record);
    if (tool === null) this.#action(record);
    else {
      if (run !== undefined) run.calls += 1;
      this.#call(record, tool, run?.start);
    }
  }

  report(): Omit<Report, 'isCut'> {
    return {
      scope: this.#scope,
      runs: this.#runs.by(({ start }) => start?.ts ?? 0),
      calls: { ...this.#calls },
      connections: { ...this.#connections },
      // A changed file stands before all that were only read.
      files: this.#effects.files.by(({ reads, writes, deletes }) => 1e6 * (writes + deletes) + reads),
      layered: this.#layered.told(this.#reader),
      programs: this.#layered.programs,
      commands: this.#effects.commands.by(({ times }) => times),
      hosts: this.#effects.hosts.by(({ calls, connections }) => calls + connections),
      tools: this.#tools.by(({ calls }) => calls),
      actions: this.#actions.by(({ times }) => times),
      refusals: this.#refusals.told(),
      questions: this.#questions.told(this.#reader),
      notable: this.#notable.told(),
      firstMs: this.#firstMs,
      lastMs: this.#lastMs,
    };
  }

  #run({ runId, seq }: LedgerRow): ReportedRun | undefined {
    if (runId === null) return undefined;
    return this.#runs.at(runId, () => ({
      runId,
      start: this.#reader.runStart(runId, seq),
      end: runEnd(this.#reader, runId),
      calls: 0,
    }));
  }

  #call(record: CallRecord, [server, name]: readonly [string, string], start: LedgerRow | undefined): void {
    const calls = this.#calls;
    const tool = this.#tools.at(JSON.stringify([server, name]), () => ({
      server,
      tool: name,
      calls: 0,
      asked: 0,
      refused: 0,
      failed: 0,
    }));
    calls.total += 1;
    if (tool !== undefined) tool.calls += 1;
    const isAsked = questionIn(record.decision?.data ?? null) !== undefined;
    if (isAsked || wasRefused(record) || record.decision === null) {
      const how = isAsked ? 'asked' : 'refused';
      calls[how] += 1;
      if (tool !== undefined) tool[how] += 1;
      // The question is told of by itself.
      if (!isAsked) this.#refusals.add(record, `${server}.${name}`, false);
      return;
    }
    const status = statusOf(record);
    const isUnfinished = status === 'CANCELLED' || factsOf(record).reasonCode === 'interrupted';
    const hasFailed = status !== null && status !== 'OK' && !isUnfinished;
    calls.ran += 1;
    if (hasFailed) calls.failed += 1;
    if (isUnfinished) calls.unfinished += 1;
    if (tool !== undefined && hasFailed) tool.failed += 1;
    if (isObserved(record)) {
      calls.observed += 1;
      this.#refusals.add(record, `${server}.${name}`, true);
    }
    const readings = readingsOfCall(this.#reader, record, start, this.#placeOf);
    if (readings === undefined || isUnread(readings)) calls.unread += 1;
    const isLayered = Layered.isIn(record);
    if (isLayered) this.#layered.call(record, start);
    if (readings !== undefined) this.#effects.call(record, readings, { hasFailed, isLayered });
  }

  #action(record: CallRecord): void {
    const action = actionOf(record) ?? '';
    const connection = connectionOf(record);
    const destination = connection?.place ?? destinationOf(record.first);
    const isRefused = wasRefused(record);
    if (isRefused) this.#refusals.add(record, `${action} ${destination}`.trim(), false);
    else this.#effects.action(record);
    // Connections stand among the hosts.
    if (connection !== undefined) {
      this.#connections.total += 1;
      this.#connections.refused += isRefused ? 1 : 0;
      return;
    }
    const row = this.#actions.at(JSON.stringify([action, destination]), () => ({
      action,
      destination,
      times: 0,
      refused: 0,
    }));
    if (row === undefined) return;
    row.times += 1;
    row.refused += isRefused ? 1 : 0;
  }
}
