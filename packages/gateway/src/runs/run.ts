import type { RunPolicy } from '../policy/run-policy.js';
import { CallIds } from './call-ids.js';
import { Remembered } from './remembered.js';
import { Unfinished, type Continued } from './unfinished.js';
import { RunLimits, type ChargedCall } from '../limits/run-limits.js';
import type { ClientName, EnvName, JsonObject, ProcessIdentity, Workload } from '@subluminal/core-types';

/** A run's word about itself. It labels entries and selects policies; no key and no limit depends on it. */
export interface RunIdentity {
  readonly agent_id: string;
  readonly client: ClientName;
  readonly env: EnvName;
  readonly principal?: string;
  readonly workload?: Workload;
}

/** A call that was allowed and whose end has not been reported. */
export interface OpenCall extends ChargedCall {
  readonly shimId: string;
  readonly tool: readonly [string, string];
  readonly argsHash: string;
  /** The ALLOW decision: the entry that the end refers to. */
  readonly decisionSeq: number;
  readonly startedMs: number;
  /** The calls that it goes on with. */
  readonly continues?: Continued | undefined;
  /** Its end says that its server asks for input. */
  asksInput?: boolean;
}

/** A service action that was recorded and has no result. */
export interface OpenPending {
  readonly action: string;
  readonly requestId: string;
}

/** The summary of a run's calls. */
export interface RunCounters {
  calls_total: number;
  calls_allowed: number;
  calls_blocked: number;
  calls_throttled: number;
  errors_total: number;
}

/** A connection of a run, as far as its end concerns it. */
export interface RunSession {
  push(event: JsonObject): void;
  end(): void;
}

/** The facts that a run begins with. */
export interface RunStart {
  readonly id: string;
  readonly identity: RunIdentity;
  readonly attested: boolean;
  readonly holder: ProcessIdentity;
  readonly startedMs: number;
  /** The policy that it brought along; undefined for none. */
  readonly policy?: RunPolicy | undefined;
}

/** Servers and calls that are remembered for what a client's hooks tell of them. */
const MAX_REMEMBERED = 512;

/** How many allowed calls of one run may be without their end. */
export const MAX_OPEN_CALLS = 1024;

/**
 * How many requests of one run are worked on at once, over all its connections: no run takes the whole queue.
 */
const MAX_UNDER_WAY = 1024;

/**
 * One run while it lives. `live` takes requests; `ending` takes none and waits for what is under way; after
 * `ended` nothing of it is written any more.
 */
export class Run {
  readonly id: string;
  readonly identity: RunIdentity;
  readonly attested: boolean;
  readonly holder: ProcessIdentity;
  readonly startedMs: number;
  /** Narrows what the policy of the home leaves; undefined for none. */
  readonly policy: RunPolicy | undefined;
  /** The counts of its limits. Freed with the run. */
  readonly limits: RunLimits;
  readonly counters: RunCounters = {
    calls_total: 0,
    calls_allowed: 0,
    calls_blocked: 0,
    calls_throttled: 0,
    errors_total: 0,
  };
  readonly openCalls = new Map<string, OpenCall>();
  readonly callIds = new CallIds();
  readonly unfinished = new Unfinished();
  /** Servers whose messages pass the gateway. */
  readonly routed = new Remembered(MAX_REMEMBERED);
  /** Those of which the client made a call that did not: a program of the run may have named them. */
  readonly unseen = new Remembered(MAX_REMEMBERED);
  /** The client's own ids of calls whose message passed the gateway. */
  readonly seenIds = new Remembered(MAX_REMEMBERED);
  /** Calls whose decision is on its way to the ledger. */
  startingCalls = 0;
  /** Servers whose `upstream_begin` is on its way to the ledger. */
  startingUpstreams = 0;
  /** Pending service actions by the seq of their entry. */
  readonly openPendings = new Map<number, OpenPending>();
  readonly sessions = new Set<RunSession>();
  readonly #effects = new Set<AbortController>();
  state: 'live' | 'ending' | 'ended' = 'live';
  /**
   * It is strict, or a shim of it brought what could not be believed: none of them decides anything alone.
   */
  noSnapshots = false;
  /** The operator has opened it, and gave its agent's name themselves. */
  isNamed = false;
  /** Nobody may be asked about its calls, and none of them is decided without the gateway. */
  isStrict = false;
  /**
   * Set while the calls that dead shims made without a gateway are not all counted: until then nothing is
   * decided for the run. `isAwaited`: something was asked meanwhile.
   */
  behind: { isAwaited: boolean } | undefined;
  #underWay = 0;
  #isStopped = false;
  #idle: (() => void) | undefined;

  constructor(start: RunStart, limits = new RunLimits()) {
    this.limits = limits;
    this.id = start.id;
    this.identity = start.identity;
    this.attested = start.attested;
    this.holder = start.holder;
    this.startedMs = start.startedMs;
    this.policy = start.policy;
  }

  /** The number of the next call, from 1. */
  nextCallSeq(): number {
    this.counters.calls_total += 1;
    return this.counters.calls_total;
  }

  /** Has `effect` aborted when the run ends. Returns the function that takes this back. */
  onEnd(effect: AbortController): () => void {
    if (this.state !== 'live') effect.abort();
    this.#effects.add(effect);
    return () => this.#effects.delete(effect);
  }

  /** The operator has stopped everything, which ended the run. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The run takes no more requests, and what it has under way outside is aborted. */
  beginEnd(cause?: 'panic'): void {
    this.state = 'ending';
    this.#isStopped = cause === 'panic';
    for (const effect of this.#effects) effect.abort();
  }

  /** A request of the run is being worked on, unless the run has ended or has too many of them already. */
  enter(): 'entered' | 'ended' | 'overloaded' {
    if (this.state !== 'live') return 'ended';
    if (this.#underWay >= MAX_UNDER_WAY) return 'overloaded';
    this.#underWay += 1;
    return 'entered';
  }

  /** The counterpart of `enter`. */
  leave(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#idle?.();
  }

  /** Resolves when nothing is under way, or after `deadlineMs`. Tells which. One waiter at a time. */
  async settled(deadlineMs: number): Promise<boolean> {
    if (this.#underWay === 0) return true;
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), deadlineMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
