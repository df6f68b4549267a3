import {
  type CheckedDestination,
  type Destination,
  type Leave,
  resolveDestination,
  type Resolver,
} from '@subluminal/egress';
import type { OwnListeners } from './connection/own-listeners.js';
import type { PipelineCall } from '../pipeline/call.js';
import { recordedResolver } from '../pipeline/recorded-resolver.js';

/** What a destination is settled with. */
export interface SettleParts {
  readonly resolver: Resolver;
  readonly listeners: Pick<OwnListeners, 'check'>;
}

/** What was said of the name. */
export interface Settled {
  readonly allowPrivate: Leave;
  /** The state of the allowlist that said it. */
  readonly generation: number;
  /** The time that there is, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Resolves a name that may be reached, once: the addresses that are judged here are those that will be dialled. The call
 * then says where it leads and how much of its time is left.
 *
 * @throws SublError `address_refused`, `resolve_failed`, `overloaded`, `timed_out`
 */
export async function settle(
  { resolver, listeners }: SettleParts,
  call: PipelineCall,
  wanted: Destination,
  { allowPrivate, generation, timeoutMs }: Settled,
): Promise<CheckedDestination> {
  const started = performance.now();
  const destination = await resolveDestination(wanted, {
    resolver: recordedResolver(call) ?? resolver,
    asker: call.caller.run?.id,
    allowPrivate,
    signal: call.signal,
    timeoutMs,
  });
  listeners.check(destination);
  const leftMs = Math.max(1, Math.ceil(timeoutMs - (performance.now() - started)));
  call.decided = { destination, generation, leftMs };
  return destination;
}
