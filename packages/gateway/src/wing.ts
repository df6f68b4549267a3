import type { JsonObject } from '@subluminal/core-types';
import type { Lifecycle } from './base/lifecycle.js';
import type { ActionTable } from './pipeline/pipeline.js';

/**
 * A subsystem that runs in the gateway's process beside the core. A wing is a package; the composition root
 * alone imports it, wires it, starts all of them in their order and stops them in the reverse one.
 */
export interface Wing extends Lifecycle {
  /** The actions that it brings. */
  readonly actions: Readonly<Partial<ActionTable>>;
  /** Its part of `gateway.status`, under its name. */
  status(): JsonObject;
}
