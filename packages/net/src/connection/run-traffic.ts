import type { NetEndPayload } from '@subluminal/core-types';
import { type Clock, steadyClock } from '@subluminal/gateway';
import { MinuteWindow } from './minute-window.js';

/**
 * One run's share of the network. `maxBytes`: of all its connections, both directions; undefined for no
 * limit.
 */
export interface TrafficLimits {
  readonly connectionsPerMinute: number;
  readonly maxOpen: number;
  readonly maxBytes: number | undefined;
}

/** Whether a connection may begin, and why not. */
export type TrafficVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: 'pace'; readonly retryAfterMs: number }
  | { readonly ok: false; readonly why: 'open' | 'bytes' };

/** A connection that an earlier process recorded. */
export interface PastConnection {
  readonly runId: string;
  readonly ts: number;
  /** Undefined for its beginning, else what it carried. */
  readonly bytes: number | undefined;
}

interface Use {
  readonly minute: MinuteWindow;
  /** Counted, and not yet opened. */
  starting: number;
  /** By the number of its entry. */
  readonly open: Set<number>;
  /** Ends of those that are open, which came too late to be taken. */
  readonly late: Map<number, NetEndPayload>;
  /** Of connections that have ended. */
  bytes: number;
}

/** What runs have of the network: how fast they connect, what they have open, what they have carried. */
export class RunTraffic {
  readonly #limits: () => TrafficLimits;
  readonly #now: () => number;
  /** Of runs that live; the registry bounds them. */
  readonly #runs = new Map<string, Use>();
  #cut: (runId: string) => Promise<void> = () => Promise.resolve();

  /** `clock` gives epoch ms. */
  constructor(limits: () => TrafficLimits, clock: Clock) {
    this.#limits = limits;
    this.#now = steadyClock(clock);
  }

  /** Counts a connection that is about to begin, or says why it may not: then it is not counted. */
  begin(runId: string): TrafficVerdict {
    const { maxBytes, maxOpen } = this.#limits();
    const use = this.#use(runId);
    if (maxBytes !== undefined && use.bytes >= maxBytes) return { ok: false, why: 'bytes' };
    if (use.open.size + use.starting >= maxOpen) return { ok: false, why: 'open' };
    const now = this.#now();
    const retryAfterMs = use.minute.waitMs(now);
    if (retryAfterMs > 0) return { ok: false, why: 'pace', retryAfterMs };
    use.minute.add(now);
    use.starting += 1;
    return { ok: true };
  }

  /** The counterpart of `begin`, whether or not the connection was opened. */
  begun(runId: string): void {
    const use = this.#runs.get(runId);
    if (use !== undefined) use.starting -= 1;
  }

  /** A connection with that entry is open. */
  open(runId: string, seq: number): void {
    this.#use(runId).open.add(seq);
  }

  /** It is over. False where no such connection of that run is open. */
  end(runId: string, seq: number): boolean {
    return this.#runs.get(runId)?.open.delete(seq) === true;
  }

  /**
   * Counts what a connection that is over has carried. Call it when its end is answered: until then its
   * carrier counts.
   */
  carried(runId: string, bytes: number): void {
    const use = this.#runs.get(runId);
    if (use !== undefined) use.bytes += bytes;
  }

  /** What the run may still carry, as far as its connections have ended; null for no limit. */
  bytesLeft(runId: string): number | null {
    const { maxBytes } = this.#limits();
    return maxBytes === undefined ? null : Math.max(0, maxBytes - (this.#runs.get(runId)?.bytes ?? 0));
  }

  /** How many connections are open, of all runs. */
  get openCount(): number {
    let count = 0;
    for (const { open } of this.#runs.values()) count += open.size;
    return count;
  }

  /** Has whoever carries the connections of a run cut them when it ends. */
  onCut(cut: (runId: string) => Promise<void>): void {
    this.#cut = cut;
  }

  /**
   * The run ends: what it has open is cut at once. Resolves when it is known what it has carried, in little
   * time. Never rejects.
   */
  cut(runId: string): Promise<void> {
    return this.#cut(runId);
  }

  /** The end of a connection was not taken any more, since its run ends: the entries of that will have it. */
  endLate(runId: string, end: NetEndPayload): void {
    const use = this.#runs.get(runId);
    if (use?.open.has(end.pending_seq) === true) use.late.set(end.pending_seq, end);
  }

  /** What `endLate` was told of a connection; undefined where it was told nothing. */
  lateEnd(runId: string, seq: number): NetEndPayload | undefined {
    return this.#runs.get(runId)?.late.get(seq);
  }

  /** The run is over. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  /** Counts what an earlier process let pass. To be called before the first `begin`. */
  restore(past: Iterable<PastConnection>): void {
    const now = this.#now();
    for (const { runId, ts, bytes } of past) {
      const use = this.#use(runId);
      if (bytes === undefined) use.minute.add(Math.min(ts, now));
      else use.bytes += bytes;
    }
  }

  #use(runId: string): Use {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const use = {
      minute: new MinuteWindow(() => this.#limits().connectionsPerMinute),
      starting: 0,
      open: new Set<number>(),
      late: new Map<number, NetEndPayload>(),
      bytes: 0,
    };
    this.#runs.set(runId, use);
    return use;
  }
}
