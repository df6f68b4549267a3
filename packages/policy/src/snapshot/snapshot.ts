import { canonicalize, type PolicyRef, sha256Hex } from '@subluminal/core-types';
import { noMatchVerdict, ruleErrorVerdict, type Verdict } from '../decide/verdict.js';
import { type CompiledRule, compileRule } from './rule.js';
import type { PlainDefaults, PlainPolicy, PlainSelectors } from './plain.js';

/** A policy, ready to decide calls. Frozen; only `compilePolicy` and `BUILTIN_OBSERVE` make them. */
export interface PolicySnapshot {
  readonly policy_id: string;
  readonly version: string;
  readonly mode: 'observe' | 'guardrails';
  /** SHA-256 of the canonical JSON of `plain`: how the file was written or commented never changes it. */
  readonly policy_hash: string;
  readonly defaults: PlainDefaults;
  readonly selectors: PlainSelectors;
  readonly rules: readonly CompiledRule[];
  readonly noMatch: Verdict;
  /** The same policy as data, with defaults written out and globs normalised. */
  readonly plain: PlainPolicy;
}

/** Compiles the normal form of a policy (Interface Pack §2.6). */
export function buildSnapshot(plain: PlainPolicy): PolicySnapshot {
  const { policy_id, version, mode, defaults, selectors } = plain;
  deepFreeze(plain);
  return Object.freeze({
    policy_id,
    version,
    mode,
    policy_hash: sha256Hex(canonicalize(plain)),
    defaults,
    selectors,
    rules: Object.freeze(
      plain.rules.map((rule) =>
        compileRule(rule, ruleErrorVerdict(defaults.decision_on_error, rule.rule_id)),
      ),
    ),
    noMatch: noMatchVerdict(defaults.no_match),
    plain,
  });
}

/** How entries and refusals name a policy. */
export function policyRef(snapshot: PolicySnapshot): PolicyRef {
  const { policy_id, version, policy_hash } = snapshot;
  return { policy_id, policy_version: version, policy_hash };
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
