import type { DecisionAction } from './decision.js';

/** The version of the contracts (docs/contracts.md) that events and errors carry. */
export const INTERFACE_VERSION = '0.2.0';

/** The reserved JSON-RPC error codes; the numbers change only with a major version. */
export const RESERVED_ERROR_CODES = {
  BLOCK: -32081,
  THROTTLE: -32082,
  REJECT_WITH_HINT: -32083,
  TERMINATE_RUN: -32084,
} as const satisfies Record<Exclude<DecisionAction, 'ALLOW'>, number>;
