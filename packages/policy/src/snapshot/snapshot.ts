import { canonicalize, type PolicyRef, sha256Hex } from '@subluminal/core-types';
import { ToolIndex } from '../lookup/tool-index.js';
import { type KeysOf, toolKeys } from '../lookup/tool-keys.js';
import { noMatchVerdict, type Verdict } from '../decide/verdict.js';
import type { PolicyOwner } from '../meter/charge.js';
import { looksAtObjects } from '../lint/covers.js';
import { Prepared } from '../match/prepared.js';
import { PatternPool } from '../pattern/pool.js';
import { type CompiledWorld, compileWorld } from '../world/compiled.js';
import { type CompiledRule, compileRule } from './rule.js';
import { argKeysOf } from './arg-keys.js';
import type { PlainDefaults, PlainPolicy, PlainSelectors, PolicyMode } from './plain.js';

/**
 * A policy, ready to decide calls. Frozen; only `compilePolicy`, `snapshotFromPlain` and `BUILTIN_OBSERVE`
 * make them.
 */
export interface PolicySnapshot {
  readonly policy_id: string;
  readonly version: string;
  readonly mode: PolicyMode;
  /** SHA-256 of the canonical JSON of `plain`: how the file was written or commented never changes it. */
  readonly policy_hash: string;
  readonly defaults: PlainDefaults;
  readonly selectors: PlainSelectors;
  readonly rules: readonly CompiledRule[];
  /** Where each rule stands among `rules`. */
  readonly places: ReadonlyMap<string, number>;
  /** Finds the rules that can match a tool. */
  readonly index: ToolIndex;
  readonly noMatch: Verdict;
  /** Every argument that some rule looks at, sorted: with their values a call can be decided again. */
  readonly argKeys: readonly string[];
  /** Some rule looks at the objects of calls: they have to be read before it is asked. */
  readonly readsObjects: boolean;
  /** The arguments of a tool that are read besides those under the usual keys. */
  readonly keysOf: KeysOf;
  /** The settings of worlds; undefined where the policy has none. */
  readonly world: CompiledWorld | undefined;
  /** The same policy as data, with defaults written out and globs normalised. */
  readonly plain: PlainPolicy;
}

/** Compiles the normal form of a policy, whose limits count for that owner. */
export function buildSnapshot(plain: PlainPolicy, owner: PolicyOwner = 'home'): PolicySnapshot {
  const { policy_id, version, mode, defaults, selectors } = plain;
  deepFreeze(plain);
  const places = new Map(plain.rules.map(({ rule_id }, at) => [rule_id, at]));
  const pool = new PatternPool();
  const prepared = new Prepared();
  const rules = Object.freeze(
    plain.rules.map((rule, at) => compileRule(rule, at, defaults, { places, pool, prepared, owner })),
  );
  return Object.freeze({
    policy_id,
    version,
    mode,
    policy_hash: sha256Hex(canonicalize(plain)),
    defaults,
    selectors,
    rules,
    places,
    index: new ToolIndex(rules),
    noMatch: noMatchVerdict(defaults.no_match),
    argKeys: Object.freeze(argKeysOf(plain)),
    readsObjects: plain.rules.some(({ enabled, match }) => enabled && looksAtObjects(match)),
    keysOf: toolKeys(plain, pool),
    world: plain.world === undefined ? undefined : compileWorld(plain.world, pool),
    plain,
  });
}

/**
 * The same policy as one that a run brought along: in the state of that run its limits have meters of their
 * own.
 */
export function runPolicy({ plain }: PolicySnapshot): PolicySnapshot {
  return buildSnapshot(plain, 'run');
}

/** The same policy as that of the project with this file: in each run its limits have their own meters. */
export function projectPolicy({ plain }: PolicySnapshot, file: string): PolicySnapshot {
  return buildSnapshot(plain, { project: sha256Hex(file).slice(0, 16) });
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
