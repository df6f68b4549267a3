import * as z from 'zod';
import type { PlaneEvent, Telemetry } from '../event.js';
import { failure, failureMemory } from './failure.js';
import { lifecycle, lifecycleMemory } from './lifecycle.js';
import { protectedAction, protectedMemory } from './protected.js';
import { scope, scopeMemory } from './scope.js';
import type { Seen, Signal } from './signal.js';
import { workKind, workKindMemory } from './work-kind.js';

/** The memories of all signals. */
export const signalMemories = z.strictObject({
  failure: failureMemory,
  lifecycle: lifecycleMemory,
  protected: protectedMemory,
  scope: scopeMemory,
  work_kind: workKindMemory,
});

export type SignalMemories = Readonly<z.infer<typeof signalMemories>>;
export type SignalName = keyof SignalMemories;

export const SIGNAL_NAMES = ['failure', 'lifecycle', 'protected', 'scope', 'work_kind'] as const;

/** Every signal by its name. */
export const SIGNALS: { readonly [N in SignalName]: Signal<SignalMemories[N]> } = {
  failure,
  lifecycle,
  protected: protectedAction,
  scope,
  work_kind: workKind,
};

export const START_MEMORIES: SignalMemories = {
  failure: failure.start,
  lifecycle: lifecycle.start,
  protected: protectedAction.start,
  scope: scope.start,
  work_kind: workKind.start,
};

/** One signal's look at an event. `signals` may be other ones of the same names. */
export function look<N extends SignalName>(
  name: N,
  memories: SignalMemories,
  event: PlaneEvent,
  signals: { readonly [M in SignalName]: Signal<SignalMemories[M]> } = SIGNALS,
): Seen<SignalMemories[N]> {
  const signal: Signal<SignalMemories[N]> = signals[name];
  return signal.see(memories[name], event);
}

/** The signals that do not look at a client that shows no more than this. */
export function signalsWithout(telemetry: readonly Telemetry[]): readonly SignalName[] {
  return SIGNAL_NAMES.filter((name) => !SIGNALS[name].needs.every((need) => telemetry.includes(need)));
}
