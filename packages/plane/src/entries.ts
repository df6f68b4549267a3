import type { JsonObject } from '@subluminal/core-types';
import type { Telemetry } from './event.js';
import type { SignalName } from './signals/all.js';
import type { SignWhy } from './signals/signal.js';
import type { Tier } from './window/terms.js';
import type { WorkKind } from './work/work-kinds.js';

/** A signal does not look, and why. */
export interface SignalOff {
  readonly type: 'plane.signal_off';
  readonly signal: SignalName;
  readonly reason: 'failed' | 'telemetry';
  /** The telemetry that is missing. */
  readonly missing: readonly Telemetry[];
}

/** The work came to a boundary: `window` ended with it. */
export interface Boundary {
  readonly type: 'plane.boundary';
  readonly window: number;
  readonly why: readonly SignWhy[];
  readonly from?: string;
  readonly to?: string;
  readonly tier: Tier;
}

export interface WindowOpened {
  readonly type: 'plane.window';
  readonly what: 'opened';
  readonly window: number;
}

export interface WindowClosed {
  readonly type: 'plane.window';
  readonly what: 'closed';
  readonly window: number;
  readonly by: 'backstop' | 'boundary' | 'end';
  readonly tier: Tier;
  readonly actions: number;
  readonly ms: number;
  /** A hash of the folder in which the session began. */
  readonly repository: string;
  readonly task: WorkKind;
  readonly mix: 'changing' | 'looking' | 'mixed';
  readonly held_out: boolean;
}

/** A text for the agent. */
export interface Steer {
  readonly type: 'plane.steer';
  readonly window: number;
  readonly looks: 'ahead' | 'back';
  readonly text: string;
}

export type SkipReason =
  | 'channel'
  | 'evidence'
  | 'floor'
  | 'form'
  | 'held_out'
  | 'late'
  | 'mode'
  | 'quiet'
  | 'rate';

/** Something was not done. */
export interface Skip {
  readonly type: 'plane.skip';
  readonly what: 'boundary' | 'checkpoint' | 'steer';
  readonly window: number;
  readonly reason: SkipReason;
  /** The fields that the call lacked of the form; undefined where its arguments could not be read. */
  readonly lacks?: readonly string[];
}

/** A reassessment left its trace: `event` is the call that shows it. */
export interface CheckpointMade {
  readonly type: 'plane.checkpoint';
  readonly window: number;
  readonly mechanism: string;
  readonly looks: 'ahead' | 'back';
  readonly event: string;
  readonly facts: JsonObject;
}

/** Everything that the plane decides. */
export type PlaneEntry = Boundary | CheckpointMade | SignalOff | Skip | Steer | WindowClosed | WindowOpened;
