import { ingestKey, numberAt, type IngestSource, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import type { ForeignEvent } from './event-line.js';
import { ingestedRun, ingestedTexts } from '@subluminal/records';

/** Sends events of a run to the gateway, from the `first` on. */
export type SendEvents = (runId: string, first: number, events: readonly JsonObject[]) => Promise<void>;

/** The outcome of one run. */
export interface TakenRun {
  readonly key: string;
  readonly runId: string;
  events: number;
  /** Of those, the ones that were not here before. */
  added: number;
  ended: boolean;
}

interface RunState extends TakenRun {
  readonly known: Generator<string>;
  readonly knownEvents: number;
  waiting: JsonObject[];
  waitingFrom: number;
  waitingChars: number;
}

const MAX_RUNS = 4096;
const MAX_BATCH = 200;
const MAX_BATCH_CHARS = 262_144;
/** Of all runs together: then all that waits is sent. */
const MAX_WAITING_CHARS = 8 * 1024 * 1024;

/**
 * Takes events in, of many runs in any mixture, each run in its order. An event that is here already is
 * compared and left out; one that contradicts it, or has no place, is told and not taken. Memory is bounded.
 */
export class Intake {
  readonly #source: IngestSource;
  readonly #reader: LedgerReader;
  readonly #send: SendEvents;
  readonly #runs = new Map<string, RunState>();
  #waitingChars = 0;

  constructor(source: IngestSource, reader: LedgerReader, send: SendEvents) {
    this.#source = source;
    this.#reader = reader;
    this.#send = send;
  }

  get runs(): readonly TakenRun[] {
    return [...this.#runs.values()];
  }

  /** Takes the next event; a text says why it cannot be. */
  async take({ event, text, runId, type }: ForeignEvent): Promise<string | undefined> {
    const run = this.#runs.get(runId) ?? this.#begin(runId);
    if (run === undefined) return `events of more than ${MAX_RUNS} runs are too many at once`;
    if (run.ended) return `the run \`${runId}\` has ended before`;
    if ((type === 'run_start') !== (run.events === 0))
      return run.events === 0
        ? `the run \`${runId}\` does not begin with its run_start`
        : `the run \`${runId}\` begins again`;
    const index = run.events;
    run.events += 1;
    run.ended = type === 'run_end';
    if (index < run.knownEvents) {
      return run.known.next().value === text
        ? undefined
        : `event ${index + 1} of the run \`${runId}\` is not the one that was ingested before`;
    }
    if (run.waiting.length === 0) run.waitingFrom = index;
    run.waiting.push(event);
    run.waitingChars += text.length;
    run.added += 1;
    this.#waitingChars += text.length;
    if (run.waiting.length >= MAX_BATCH || run.waitingChars >= MAX_BATCH_CHARS) await this.#flush(run);
    if (this.#waitingChars >= MAX_WAITING_CHARS) await this.finish();
    return undefined;
  }

  /** Sends what waits. */
  async finish(): Promise<void> {
    for (const run of this.#runs.values()) if (run.waiting.length > 0) await this.#flush(run);
  }

  async #flush(run: RunState): Promise<void> {
    const { waiting, waitingFrom } = run;
    this.#waitingChars -= run.waitingChars;
    run.waiting = [];
    run.waitingChars = 0;
    await this.#send(run.runId, waitingFrom, waiting);
  }

  #begin(runId: string): RunState | undefined {
    if (this.#runs.size >= MAX_RUNS) return undefined;
    const key = ingestKey(this.#source, runId);
    const newest = ingestedRun(this.#reader, key)?.newest.data ?? null;
    const run: RunState = {
      key,
      runId,
      events: 0,
      added: 0,
      ended: false,
      known: ingestedTexts(this.#reader, key),
      knownEvents: (numberAt(newest, 'first') ?? 0) + (numberAt(newest, 'count') ?? 0),
      waiting: [],
      waitingFrom: 0,
      waitingChars: 0,
    };
    this.#runs.set(runId, run);
    return run;
  }
}
