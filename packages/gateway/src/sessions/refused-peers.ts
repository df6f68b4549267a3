import type { Clock } from '../base/clock.js';
import type { Recorder } from '../recording/recorder.js';

/** Why a peer was turned away before it had shown a key. */
export type RefusalReason =
  | 'deadline'
  | 'frame'
  | 'hook_form'
  | 'hook_speaker'
  | 'hook_token'
  | 'http_form'
  | 'http_origin'
  | 'http_token'
  | 'identity'
  | 'proxy_form'
  | 'proxy_token'
  | 'too_many'
  | 'ui_peer'
  | 'unfinished'
  | 'world_form';

/**
 * Counts peers that were turned away and records the counts at most once a second: garbage must not buy
 * durable entries. ARCHITECTURE.md, "The pipeline".
 */
export class RefusedPeers {
  readonly #recorder: Pick<Recorder, 'note'>;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  #counts: Partial<Record<RefusalReason, number>> = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(recorder: Pick<Recorder, 'note'>, clock: Clock, intervalMs = 1000) {
    this.#recorder = recorder;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /**
   * Counts one. The report follows after the interval, so that the first is counted together with what it
   * began.
   */
  count(reason: RefusalReason): void {
    this.#counts[reason] = (this.#counts[reason] ?? 0) + 1;
    this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs);
  }

  /** Reports what was counted, if anything was. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = { ...this.#counts };
    if (Object.keys(counts).length === 0) return;
    this.#counts = {};
    this.#recorder.note({
      entries: [{ type: 'peers_refused', ts: this.#clock(), runId: null, data: { counts } }],
    });
  }
}
