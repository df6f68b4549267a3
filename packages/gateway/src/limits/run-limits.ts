import type { CallStatus, JsonObject } from '@subluminal/core-types';
import { isSameWaiver, PolicyState, type Charge, type Waiver } from '@subluminal/policy';
import type * as z from 'zod';

/** How a call ended, as far as limits go. */
export interface CallOutcome {
  readonly status: z.infer<typeof CallStatus>;
  readonly latency_ms: number;
}

/** A call with what it was charged. */
export interface ChargedCall {
  readonly callId: string;
  charge: Charge;
  /** Its end has been counted. */
  isSettled: boolean;
}

/** A run's limits as `gateway.db` keeps them. */
export interface KeptLimits {
  readonly state: JsonObject;
  readonly waivers: readonly Waiver[];
  /** Calls that `state` has counted, and whose decision may stand behind the entry up to which it goes. */
  readonly charged: readonly string[];
  /** The same of ends. */
  readonly settled: readonly string[];
  readonly isTerminated: boolean;
}

/** Hears of everything that is counted, at once. */
export interface LimitsWatch {
  readonly charged: (charge: Charge, now: number) => void;
  readonly settled: (charge: Charge, outcome: CallOutcome, now: number) => void;
  /** Something else is different. */
  readonly changed: () => void;
}

/** A hint that is promoted once more takes no place; more different ones are a reason to edit the policy. */
export const MAX_WAIVERS = 256;

/**
 * The counts of one run's limits, and what was waived for it. A call is counted when it is decided, before it
 * is recorded, so that of two calls that race for the last unit one gets it; and it stays counted whatever
 * becomes of the entry.
 */
export class RunLimits {
  readonly state: PolicyState;
  readonly #waivers: Waiver[];
  /** Calls that were charged and whose decision may not be in the ledger yet. */
  readonly #writing = new Set<string>();
  #held = 0;
  #version: number;
  #isTerminated: boolean;
  #watch: LimitsWatch | undefined;

  /** Those of a run that begins. */
  constructor(known?: Pick<KeptLimits, 'waivers' | 'isTerminated'> & { readonly state: PolicyState }) {
    this.state = known?.state ?? PolicyState.empty();
    this.#waivers = [...(known?.waivers ?? [])];
    this.#isTerminated = known?.isTerminated ?? false;
    this.#version = known === undefined ? 0 : 1;
  }

  /** Those of a run that goes on. Throws `policy_invalid` where this version does not know what was kept. */
  static from(kept: KeptLimits | undefined): RunLimits {
    if (kept === undefined)
      return new RunLimits({ state: PolicyState.empty(), waivers: [], isTerminated: false });
    return new RunLimits({ ...kept, state: PolicyState.fromJSON(kept.state) });
  }

  /** Has one watch from now on; undefined for none. */
  watch(watch: LimitsWatch | undefined): void {
    this.#watch = watch;
  }

  get waivers(): readonly Waiver[] {
    return this.#waivers;
  }

  /** Another number after each change; 0 while a run has counted nothing. */
  get version(): number {
    return this.#version;
  }

  /** A rule has ended the run: it decides no call any more. */
  get isTerminated(): boolean {
    return this.#isTerminated;
  }

  /** Something is counted and not yet recorded, or the other way round, in a way that `kept` cannot tell. */
  get isHeld(): boolean {
    return this.#held > 0;
  }

  /** Counts a call that is decided right now. */
  charge(callId: string, charge: Charge, now: number): void {
    if (charge.length === 0) return;
    this.state.apply(charge, now);
    this.#writing.add(callId);
    this.#version += 1;
    this.#watch?.charged(charge, now);
  }

  /** The decision on a call stands in the ledger, or will not. */
  recorded(callId: string): void {
    this.#writing.delete(callId);
  }

  /** Takes back what the first decision on a call has counted; only for deciding it again right now. */
  revert(charge: Charge): void {
    if (charge.length === 0) return;
    this.state.revert(charge);
    this.#version += 1;
    this.#watch?.changed();
  }

  /** Counts the end of a call, once. It gives nothing back. */
  settle(call: ChargedCall, outcome: CallOutcome, now: number): void {
    if (call.isSettled || call.charge.length === 0) return;
    call.isSettled = true;
    this.state.settle(call.charge, outcome, now);
    this.#version += 1;
    this.#watch?.settled(call.charge, outcome, now);
  }

  /** Waives a rule from now on. */
  waive(waiver: Waiver): void {
    if (this.#waivers.some((known) => isSameWaiver(known, waiver))) return;
    this.#waivers.push(waiver);
    this.#version += 1;
    this.#watch?.changed();
  }

  terminate(): void {
    this.#isTerminated = true;
    this.#version += 1;
    this.#watch?.changed();
  }

  /** Has nothing kept until the result is called, once. */
  hold(): () => void {
    let isOver = false;
    this.#held += 1;
    return () => {
      if (!isOver) this.#held -= 1;
      isOver = true;
    };
  }

  /** Lets go of what no longer binds. */
  prune(now: number): void {
    this.state.prune(now);
  }

  /** The limits as a start goes on from them, with the entries behind the newest one that is durable now. */
  kept(open: Iterable<ChargedCall>): KeptLimits {
    const settled = [...open].filter(({ isSettled }) => isSettled).map(({ callId }) => callId);
    return {
      state: this.state.toJSON(),
      waivers: [...this.#waivers],
      charged: [...this.#writing],
      settled,
      isTerminated: this.#isTerminated,
    };
  }
}
