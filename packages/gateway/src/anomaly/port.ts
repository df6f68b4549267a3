import type { ToolCallBeginPayload } from '@subluminal/core-types';
import type { Destination } from '@subluminal/egress';
import type { AnomalyFlag } from './flag.js';

/**
 * The agent that a run says it is. A run that the operator opened, and one that opened itself, are two
 * agents, whatever they are called.
 */
export interface RunSubject {
  readonly id: string;
  readonly attested: boolean;
  readonly identity: { readonly agent_id: string };
}

/**
 * Where something goes to. `place` is what is remembered: a host, or the hash of an address, of which `shown`
 * is the domain.
 */
export interface Target {
  readonly place: string;
  readonly shown: string;
  readonly isHost: boolean;
}

/** Something that leaves on behalf of a run: `what` in words, and where to. */
export interface Sends {
  readonly what: string;
  readonly targets: readonly Target[];
}

/** Something that a run read and that may matter for what it sends later. */
export interface Read {
  /** In words: `email.fetch`, `tool web.fetch`, `docs.example.com`. */
  readonly what: string;
  /** The host that it came from; undefined where it came from a tool. */
  readonly place: string | undefined;
  /** Epoch ms. */
  readonly ts: number;
  /** Its entry. */
  readonly ref: string;
  /** Others can write what stands there. */
  readonly untrusted: boolean;
  /** It is nobody else's business. */
  readonly private: boolean;
}

/**
 * One service action, as far as the detector looks at it. `client` is the run id or `operator`; `run` is
 * undefined for the operator.
 */
export interface AnomalyInput {
  readonly client: string;
  readonly run?: RunSubject | undefined;
  readonly action: string;
  readonly destination?: Destination | undefined;
  readonly payloadBytes: number;
  /** Undefined for an action that sends nothing to anybody. */
  readonly sends?: Sends | undefined;
}

/** A request that is recorded and about to run. */
export interface Confirmed {
  readonly run: RunSubject | undefined;
  readonly destination: Destination | undefined;
  readonly flags: readonly AnomalyFlag[];
  /** Bytes that a service action sends, and its receivers. */
  readonly payloadBytes?: number | undefined;
  readonly sends?: Sends | undefined;
  /** A connection through the proxy. `seq` and `ref`: its entry. */
  readonly connection?: { readonly seq: number; readonly ref: string; readonly listed: boolean } | undefined;
}

/** Notices unusual requests. The stages ask it; the wing `anomaly` is behind it. */
export interface Detector {
  /**
   * Counts requests that an earlier process saw, so that ending the gateway begins no new burst. To be called
   * before the first `inspect`.
   */
  restore(requests: readonly { readonly client: string; readonly ts: number }[]): void;
  /** Counts the request as arrived and gives what is unusual about it; an empty list if nothing is. */
  inspect(input: AnomalyInput): AnomalyFlag[];
  /**
   * Flags what is unusual about a connection through the proxy. A flag does nothing more, and counts in no
   * burst: a browser opens a hundred at once.
   */
  inspectConnection(run: RunSubject, destination: Destination): AnomalyFlag[];
  /**
   * The decision is recorded and about to be carried out: its destination is not new any more, and what was
   * said of the run is not said again.
   */
  confirm(confirmed: Confirmed): void;
  /** The run has read something, or is about to: what it may do with it is looked at from here on. */
  read(run: RunSubject, read: Omit<Read, 'ts'>): void;
  /** A connection of the run is over; gives what is unusual about the bytes that it carried. */
  connectionEnded(run: RunSubject, seq: number, up: number, down: number): AnomalyFlag[];
  /** Makes a domain new again: for one that is put on the allowlist. */
  forget(domain: string): void;
}

/**
 * Takes a call that is allowed, with the classes that its tool's annotations add and the reference of its
 * decision.
 */
export type ToolReads = (
  run: RunSubject,
  call: Pick<ToolCallBeginPayload, 'server_name' | 'tool_name'>,
  raised: readonly string[],
  ref: string,
) => void;
