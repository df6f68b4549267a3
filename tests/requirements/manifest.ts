import { CONTROL_PLANE } from './control-plane.js';
import { ENGINEERING_SPEC_CONTRACTS } from './engineering-spec-contracts.js';
import { ENGINEERING_SPEC_GOALS } from './engineering-spec-goals.js';
import { ENGINEERING_SPEC_IMPORT } from './engineering-spec-import.js';
import { ENGINEERING_SPEC } from './engineering-spec.js';
import { ENGINEERING_SPEC_LEDGER } from './engineering-spec-ledger.js';
import { ENGINEERING_SPEC_POLICY } from './engineering-spec-policy.js';
import { ENGINEERING_SPEC_SHIM } from './engineering-spec-shim.js';
import { ENGINEERING_SPEC_TRACKS } from './engineering-spec-tracks.js';
import { GATEWAY_ISOLATION_EXIT } from './gateway-isolation.js';
import { GATEWAY_ISOLATION_PARTS } from './gateway-isolation-parts.js';
import { GATEWAY_ISOLATION_TESTS } from './gateway-isolation-tests.js';
import { GATEWAY_ISOLATION_TYPES } from './gateway-isolation-types.js';
import { INTERFACE_PACK_ACCEPTANCE } from './interface-pack-acceptance.js';
import { INTERFACE_PACK_ADDITIONS } from './interface-pack-additions.js';
import { INTERFACE_PACK_CORE } from './interface-pack-core.js';
import { INTERFACE_PACK_EVENTS } from './interface-pack-events.js';
import type { Requirements } from './requirement.js';
import { SUBSTRATE_WORLDS } from './substrate-spec.js';

/**
 * What each part of the documents demands: every bullet of a part is there, so the parts have fixed sizes.
 */
export const PARTS: Readonly<Record<string, Requirements>> = {
  'gateway isolation spec, exit criteria 1–13': GATEWAY_ISOLATION_EXIT,
  'gateway isolation spec §1–§3': GATEWAY_ISOLATION_TYPES,
  'gateway isolation spec §4–§10': GATEWAY_ISOLATION_PARTS,
  'gateway isolation spec §11': GATEWAY_ISOLATION_TESTS,
  'Interface Pack §0, §1': INTERFACE_PACK_EVENTS,
  'Interface Pack §2–§5, §7': INTERFACE_PACK_CORE,
  'Interface Pack, what it recommends, allows and plans': INTERFACE_PACK_ADDITIONS,
  'Interface Pack §6': INTERFACE_PACK_ACCEPTANCE,
  'engineering spec §1–§4': ENGINEERING_SPEC_GOALS,
  'engineering spec §5, §6': ENGINEERING_SPEC_CONTRACTS,
  'engineering spec §7': ENGINEERING_SPEC_SHIM,
  'engineering spec §8–§10': ENGINEERING_SPEC_POLICY,
  'engineering spec §11–§15': ENGINEERING_SPEC_LEDGER,
  'engineering spec §16, tracks A1, A2, C, H': ENGINEERING_SPEC,
  'engineering spec §16, track D': ENGINEERING_SPEC_IMPORT,
  'engineering spec §16, tracks B, E, F, G, I, §17, §18': ENGINEERING_SPEC_TRACKS,
  'substrate spec, acceptance of worlds': SUBSTRATE_WORLDS,
  'hook control plane, R1–R13, L1–L15': CONTROL_PLANE,
};
