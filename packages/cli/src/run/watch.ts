import { SublError, textAt } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { eventOf, writtenTo } from '@subluminal/records';
import { asSublError } from '../program/report.js';
import { openRecord } from '../record/open.js';
import { RunFollower } from './events/follower.js';
import { eventLine } from './events/line.js';
import type { EventSink } from './events/sink.js';
import { lookAround } from './strict/surroundings.js';
import { Violations } from './strict/violations.js';

/**
 * How long nothing may come of a run before it counts as one without its end: once it was ended, and where it
 * could not be.
 */
const END_MS = 10_000;
const AWAY_MS = 500;

export interface RunWatchOptions {
  readonly home: HomePaths;
  readonly runId: string;
  readonly now: () => number;
  /** Where its events go; undefined for nowhere. */
  readonly events: EventSink | undefined;
  readonly strict: boolean;
}

/** The result of watching. */
export interface Watched {
  readonly violations: Violations;
  /** Why the record of the run is not whole, or proves nothing; undefined where it does. */
  readonly unproven: SublError | undefined;
  /** Why the events could not all be written; undefined where they were. */
  readonly cutOff: SublError | undefined;
}

/** How a run ended: by `sub run`, by somebody before it, or nobody knows. */
export type RunEnd = 'ended' | 'was_over' | 'unknown';

/**
 * Reads a run off the ledger while it lives, for `--events` and `--strict`. Nothing that goes wrong here
 * touches the agent.
 */
export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #violations = new Violations();
  readonly #follower: RunFollower;
  readonly #done: Promise<SublError | undefined>;
  #cutOff: SublError | undefined;
  #wasRestarted = false;
  /** Why the run ended, as its last entry says. */
  #cause = '';
  #first = 0;

  /** Begins. @throws the errors of opening the ledger. */
  constructor(options: RunWatchOptions) {
    this.#options = options;
    this.#follower = new RunFollower(openRecord(options.home), options.runId, options.now, () =>
      writtenTo(options.home.ledgerDb),
    );
    this.#done = this.#follower
      .follow((rows, reader) => this.#take(rows, reader))
      .then(
        () => undefined,
        (error: unknown) => asSublError(error),
      );
  }

  /**
   * Waits until all of the run is read and written; not for long where the gateway does not know that it is
   * over.
   */
  async finish(end: RunEnd): Promise<Watched> {
    this.#follower.hurry(end === 'unknown' ? AWAY_MS : END_MS);
    const failure = await this.#done;
    this.#closeEvents();
    return { violations: this.#violations, unproven: this.#unproven(failure, end), cutOff: this.#cutOff };
  }

  #closeEvents(): void {
    const { events } = this.#options;
    try {
      if (this.#cutOff === undefined) events?.verify();
    } catch (error) {
      this.#cutOff = asSublError(error);
    } finally {
      events?.close();
    }
  }

  #unproven(failure: SublError | undefined, end: RunEnd): SublError | undefined {
    if (failure !== undefined)
      return unreachable(`the record of the run is not whole: ${failure.message}`, failure.help);
    if (this.#wasRestarted)
      return unreachable(
        'the gateway was restarted during the run: what was refused in between is not recorded',
      );
    // A run that a rule ended is a violation, and told as one. A holder of the run's key can end it, and go
    // on without it.
    if (!this.#options.strict || end !== 'was_over' || this.#cause === 'terminated') return undefined;
    return new SublError(
      'run_ended',
      'the run was ended before its command was: what the command did afterwards is not in its record',
      { help: '`sub runs` says how it ended; no agent has a reason to end its own' },
    );
  }

  async #take(rows: readonly LedgerRow[], reader: LedgerReader): Promise<void> {
    const { strict, runId } = this.#options;
    if (this.#first === 0) this.#first = rows[0]?.seq ?? 0;
    if (strict) for (const row of rows) this.#violations.take(row);
    const last = rows.at(-1);
    if (last?.type === 'run_end') this.#cause = textAt(last.data, 'run', 'cause');
    if (strict && last?.type === 'run_end') {
      const span = { runId, first: this.#first, last: last.seq };
      this.#wasRestarted = lookAround(reader, span, this.#violations).wasRestarted;
    }
    await this.#write(rows, reader);
  }

  async #write(rows: readonly LedgerRow[], reader: LedgerReader): Promise<void> {
    const { events } = this.#options;
    if (events === undefined || this.#cutOff !== undefined) return;
    let text = '';
    for (const row of rows) {
      const event = eventOf(reader, row);
      if (event !== null) text += eventLine(event);
    }
    // A reader that is slow must not hold the ledger's file.
    reader.release();
    try {
      await events.write(text);
    } catch (error) {
      this.#cutOff = asSublError(error);
    }
  }
}

function unreachable(
  message: string,
  help = 'run the job again; `sub doctor` says what is wrong with the gateway',
): SublError {
  return new SublError('gateway_unreachable', message, { help });
}
