import {
  type CheckedDestination,
  type Destination,
  type Leave,
  resolveDestination,
  type Resolver,
} from '@subluminal/egress';
import { redact, SublError, type JsonObject } from '@subluminal/core-types';
import type { Allowed } from './allowed.js';
import type { Panic } from '../panic/panic.js';
import type { Call } from '../pipeline/call.js';

export interface SettleParts {
  readonly resolver: Resolver;
  /** The gateway's own doors. `check` throws `address_refused` for a place that leads to one. */
  readonly listeners: { check(destination: CheckedDestination): void };
}

/** The name that may be reached, and how. */
export interface Settling {
  readonly wanted: Destination;
  readonly allowPrivate: Leave;
  /** The time that there is, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * The decision before this one, where the call is decided again: its addresses are judged again, and no
   * others.
   */
  readonly before: Decided | undefined;
}

/** A destination, and the state of the allowlist that it was decided under. */
export interface Decided {
  readonly destination: CheckedDestination | undefined;
  readonly generation: number;
  /** The rest of the action's time after its name was resolved, in milliseconds. */
  readonly leftMs: number;
}

/** A decision that leads somewhere. */
export type Settled = Decided & { readonly destination: CheckedDestination };

/**
 * Resolves a name that may be reached, once: the addresses that are judged here are those that will be
 * dialled.
 *
 * @throws SublError `address_refused`, `resolve_failed`, `overloaded`, `timed_out`
 */
export async function settle(
  { resolver, listeners }: SettleParts,
  call: Call,
  generation: number,
  { wanted, allowPrivate, timeoutMs, before }: Settling,
): Promise<Settled> {
  const started = performance.now();
  const known = before?.destination?.addresses;
  const destination = await resolveDestination(wanted, {
    resolver: known === undefined ? resolver : { resolve: () => Promise.resolve(known) },
    asker: call.caller.run?.id,
    allowPrivate,
    signal: call.signal,
    timeoutMs,
  });
  listeners.check(destination);
  const leftMs = Math.max(1, Math.ceil(timeoutMs - (performance.now() - started)));
  return { destination, generation, leftMs };
}

export interface HoldParts {
  readonly panic: Pick<Panic, 'current'>;
  readonly allowlist: Pick<Allowed, 'generation'>;
}

/**
 * Tells whether a decision still holds once its entry is written: the allowlist may have changed meanwhile.
 * The operator may have stopped everything, too: then a run has ended by now, and others are refused here.
 *
 * @throws SublError `panicked`
 */
export function stillHolds({ panic, allowlist }: HoldParts, decided: Decided | undefined): boolean {
  if (panic.current !== undefined)
    throw new SublError('panicked', 'everything is stopped: the operator decided so');
  return decided?.generation === allowlist.generation;
}

/** The destination as entries name it. A name is a client's own text as soon as it need not be listed. */
export function shownOrigin({ origin }: Destination): string {
  return redact(origin).text;
}

/** The destination that was decided on, as the entry of the pending action holds it. */
export function decidedData(decided: Decided | undefined): JsonObject {
  const destination = decided?.destination;
  if (destination === undefined) return {};
  return { destination: shownOrigin(destination), addresses: [...destination.addresses] };
}
