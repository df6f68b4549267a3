import { isSublError, MAX_CARRIED_ENDS } from '@subluminal/core-types';
import { CanonicalText } from '@subluminal/ipc';
import type { CallEnd } from './contract.js';
import { MAX_REPORTS, Reports, type ReportsOptions } from './reports.js';
import { endText } from './request-text.js';

/** How long the end of a call waits for a next call to travel with, in milliseconds. */
const HOLD_MS = 50;
/** How often the end waits once more for reports, as long as some of them are answered meanwhile. */
const FLUSHES = 5;

export interface HeldEndsOptions extends Pick<ReportsOptions, 'session' | 'nextId'> {
  readonly log: (line: string) => void;
}

/**
 * The ends of calls, as canonical texts. One waits a moment for the next call, which an agent often makes at
 * once: both are then one request and one write to the disk, instead of the call waiting for the write of the
 * end. The others are reported by themselves.
 */
export class HeldEnds {
  readonly reports: Reports;
  readonly #log: (line: string) => void;
  #held: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Requests of calls that carry ends and are not answered yet. */
  #carrying = 0;
  #idleWaiters: (() => void)[] = [];
  #lost = 0;

  constructor({ session, nextId, log }: HeldEndsOptions) {
    this.#log = log;
    const onIdle = (): void => this.#settled();
    const onLost = (why: string): void => this.#lose(why);
    this.reports = new Reports({ session, nextId, onIdle, onLost });
  }

  hold(callId: string, end: CallEnd): void {
    if (this.#open + this.#held.length >= MAX_REPORTS) {
      this.#lose('too many calls ended at once');
      return;
    }
    try {
      this.#held.push(endText(callId, end));
    } catch (error) {
      if (!isSublError(error)) throw error;
      this.#lose(error.message);
      return;
    }
    this.#timer ??= setTimeout(() => this.send(), HOLD_MS);
  }

  /** The ends that the next call carries: `carry` when it leaves, then `delivered` or `undelivered`. */
  take(): string[] {
    return this.#held.length > MAX_CARRIED_ENDS ? this.#held.splice(0, MAX_CARRIED_ENDS) : this.#takeAll();
  }

  /** A request leaves with them. */
  carry(ends: readonly string[]): void {
    if (ends.length > 0) this.#carrying += 1;
  }

  /** The request that carried them was decided, and so they were recorded with it. */
  delivered(ends: readonly string[]): void {
    if (ends.length === 0) return;
    this.#carrying -= 1;
    this.#settled();
  }

  /** The request that carried them was not decided. `isAgain`: it may have arrived all the same. */
  undelivered(ends: readonly string[], isAgain: boolean): void {
    if (ends.length === 0) return;
    this.#carrying -= 1;
    this.report(ends, isAgain);
    this.#settled();
  }

  report(ends: readonly string[], isAgain = false): void {
    for (const text of ends) this.reports.add('tool.call.end', new CanonicalText(text), { isAgain });
  }

  /** Reports those that no call came for in time. */
  send(): void {
    this.report(this.#takeAll());
  }

  /**
   * Waits until all reports are answered, at most `timeoutMs`, and as long again while some are (a gateway
   * may let a run wait), five times at most; the others are lost.
   */
  async flush(timeoutMs: number): Promise<void> {
    let before = Number.POSITIVE_INFINITY;
    for (let waits = 0; waits < FLUSHES && this.#open < before; waits += 1) {
      before = this.#open;
      await this.#idleOrLate(timeoutMs);
    }
    const left = this.reports.size;
    if (left > 0 || this.#lost > 1)
      this.#log(`reports that could not be delivered to the gateway: ${this.#lost + left}`);
  }

  #takeAll(): string[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#held.splice(0);
  }

  /** Requests with reports that are not answered. */
  get #open(): number {
    return this.#carrying + this.reports.size;
  }

  #settled(): void {
    if (this.#open === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #idleOrLate(timeoutMs: number): Promise<void> {
    if (this.#open === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#idleWaiters.push(resolve);
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }

  /** A report that did not arrive: the gateway closes the entry as interrupted. Said once, not for each. */
  #lose(why: string): void {
    this.#lost += 1;
    if (this.#lost === 1) this.#log(`a report could not be delivered to the gateway: ${why}`);
  }
}
