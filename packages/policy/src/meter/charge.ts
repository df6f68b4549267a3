import type { Amount } from './amount.js';
import type { Refill } from './rule-bucket.js';

/** The calls that a limit counts together: the run, a tool's name, or a tool of a server. */
export type Scope = 'run' | 'tool' | 'server_tool';

/** Whose policy it is: the home's, the one that a run brought along, or that of a project. */
export type PolicyKind = 'home' | 'run' | 'project';

/** The owner of a policy's limits. A run may be in several projects: each has a name of its own. */
export type PolicyOwner = 'home' | 'run' | { readonly project: string };

/** A scope, and whose: rules of several policies may have the same id, and never share a meter. */
export type MeterScope = Scope | `own_${Scope}` | `project_${Scope}`;

/** The scope of a limit in the policy of that owner. */
export function meterScope(scope: Scope, owner: PolicyOwner): MeterScope {
  if (owner === 'home') return scope;
  return owner === 'run' ? `own_${scope}` : `project_${scope}`;
}

/** The name by which charges and meters know a rule in the policy of that owner. */
export function meterRule(ruleId: string, owner: PolicyOwner): string {
  return typeof owner === 'string' ? ruleId : `${owner.project}:${ruleId}`;
}

/** How the meters of a rule are found again: a reload that keeps rule, kind and scope finds them. */
export function groupOf(scope: MeterScope, ruleId: string): string {
  return `${scope}:${ruleId}`;
}

interface ItemCommon {
  /** As `meterRule` names it. */
  readonly rule_id: string;
  readonly scope: MeterScope;
  /** The key that the call is counted under in this scope. */
  readonly key: string;
}
/** One call of a budget. */
export interface BudgetItem extends ItemCommon {
  readonly kind: 'budget';
  readonly isWrite: boolean;
  readonly cost: Amount;
}
/** Tokens out of a bucket. */
export interface BucketItem extends ItemCommon, Refill {
  readonly kind: 'rate_limit';
  readonly tokens: number;
}
/**
 * One attempt that a breaker sees, and what it needs to count the end of the call. A threshold of 0 is off.
 */
export interface BreakerItem extends ItemCommon {
  readonly kind: 'breaker';
  /** The same call again, as the repeat window counts it. */
  readonly entry: string;
  readonly repeat_threshold: number;
  readonly repeat_window_ms: number;
  readonly error_threshold: number;
  readonly window_ms: number;
  /** 0: none. */
  readonly latency_threshold_ms: number;
  /** Whether this call found either of the two thresholds reached. */
  readonly repeatsOpen: boolean;
  readonly errorsOpen: boolean;
  /** The same of the call before it. */
  readonly repeatsWereOpen: boolean;
  readonly errorsWereOpen: boolean;
}
/** One call that a dedupe remembers. */
export interface DedupeItem extends ItemCommon {
  readonly kind: 'dedupe';
  readonly entry: string;
  readonly window_ms: number;
}

/** The charge of one limit by one call. */
export type ChargeItem = BudgetItem | BucketItem | BreakerItem | DedupeItem;

/** The charge of all limits by one call, in the order of the rules. */
export type Charge = readonly ChargeItem[];

/** The charge of a call that no limit counts. */
export const NO_CHARGE: Charge = Object.freeze([]);

/** How a call ended. */
export interface CallEnd {
  readonly status: 'OK' | 'ERROR' | 'TIMEOUT' | 'CANCELLED';
  readonly latency_ms: number;
}
