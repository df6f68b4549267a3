import type { JsonObject } from '@subluminal/core-types';
import type { Clock } from '../base/clock.js';
import type { Recorder } from '../recording/recorder.js';

/** Entries an hour; what is refused beyond them is counted in the next. */
const MAX_AN_HOUR = 20;
const HOUR_MS = 3_600_000;

/**
 * Records files that were not accepted. Each reason has one entry as it comes up, and their number is
 * bounded, so that a file which changes all the time does not fill the ledger.
 */
export class FileRefusals {
  readonly #recorder: Pick<Recorder, 'note'>;
  readonly #clock: Clock;
  readonly #type: 'policy_refused' | 'settings_refused';
  #last = '';
  #times: readonly number[] = [];
  #unrecorded = 0;

  constructor(
    recorder: Pick<Recorder, 'note'>,
    clock: Clock,
    type: 'policy_refused' | 'settings_refused' = 'policy_refused',
  ) {
    this.#type = type;
    this.#recorder = recorder;
    this.#clock = clock;
  }

  /** `what` is the reason: the same one again is no news until a file was accepted in between. */
  note(what: string, data: JsonObject): void {
    if (what === this.#last) return;
    this.#last = what;
    const now = this.#clock();
    this.#times = this.#times.filter((time) => time > now - HOUR_MS && time <= now);
    if (this.#times.length >= MAX_AN_HOUR) {
      this.#unrecorded += 1;
      return;
    }
    this.#times = [...this.#times, now];
    const more = this.#unrecorded === 0 ? {} : { unrecorded: this.#unrecorded };
    this.#unrecorded = 0;
    this.#recorder.note({
      entries: [{ type: this.#type, ts: now, runId: null, data: { ...data, ...more } }],
    });
  }

  /** A file was accepted: whatever is refused next is news. */
  accepted(): void {
    this.#last = '';
  }
}
