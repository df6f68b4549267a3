import type { Baselines } from './baseline/baseline.js';
import { NO_BASELINES } from './baseline/baseline.js';
import { critique } from './checkpoint/critique.js';
import { drift } from './checkpoint/drift.js';
import type { Mechanism } from './checkpoint/mechanism.js';
import { reread } from './checkpoint/reread.js';
import { structured } from './checkpoint/structured.js';
import { testsRun } from './checkpoint/tests-run.js';
import { thinking } from './checkpoint/thinking.js';
import { ALL_TELEMETRY, type Telemetry } from './event.js';
import { type Modes, OBSERVE, type Role } from './posture/modes.js';
import { type SignalMemories, type SignalName, SIGNALS } from './signals/all.js';
import type { Signal } from './signals/signal.js';
import type { FloorTerms } from './window/floor.js';
import { STATIC_TERMS, type Terms, type Tier } from './window/terms.js';

/** Everything that a fold depends on besides its state and the event. */
export interface PlaneSettings {
  /** The facts that the client shows. */
  readonly telemetry: readonly Telemetry[];
  /** The client takes a text with the answer to a hook. */
  readonly takesContext: boolean;
  readonly role: Role;
  readonly modes: Modes;
  readonly floor: FloorTerms;
  readonly terms: Readonly<Record<Tier, Terms>>;
  readonly baselines: Baselines;
  readonly mechanisms: readonly Mechanism[];
  readonly signals: { readonly [N in SignalName]: Signal<SignalMemories[N]> };
  /** Signals that the operator has switched off. */
  readonly off: readonly SignalName[];
}

/** Observes, by everything that can be seen. */
export const DEFAULT_SETTINGS: PlaneSettings = {
  telemetry: ALL_TELEMETRY,
  takesContext: true,
  role: 'worker',
  modes: OBSERVE,
  floor: { actions: 3, ms: 10_000 },
  terms: STATIC_TERMS,
  baselines: NO_BASELINES,
  mechanisms: [thinking, reread, drift, critique, testsRun, structured],
  signals: SIGNALS,
  off: [],
};
