import type { JsonValue } from '@subluminal/core-types';
import type { PlainSelectors } from '../snapshot/plain.js';

/**
 * How much a change asks of whoever reviews it. `critical`: something may pass that was refused before.
 * `warn`: nothing more passes, but rules, agents or tools are concerned that were not before. `info`: a
 * stricter limit, other words, or no effect. docs/governance.md, "What a change means".
 */
export type ChangeSeverity = 'critical' | 'warn' | 'info';

/** The kind of the change. */
export type ChangeKind =
  | 'policy_id'
  | 'version'
  | 'mode'
  | 'default'
  | 'selectors'
  | 'tools'
  | 'world'
  | 'added'
  | 'removed'
  | 'enabled'
  | 'disabled'
  | 'moved'
  | 'match'
  | 'limit'
  | 'action'
  | 'overrides'
  | 'classes'
  | 'hide'
  | 'words';

/** Whose calls a change concerns; null stands for all. Globs as they are, regexes between slashes. */
export interface Affected {
  readonly selectors: PlainSelectors;
  readonly servers: readonly string[] | null;
  readonly tools: readonly string[] | null;
  readonly risk_classes: readonly string[] | null;
  readonly arguments: readonly string[] | null;
  readonly utc_hours: readonly number[] | null;
  /** Kinds of objects that are looked at: `path`, `command`, `host`, `sql`. */
  readonly objects: readonly string[] | null;
}

/** The effect of a change on the refusals of the rules. */
export interface Effect {
  /** A call that was refused may be allowed. Never false where that can happen. */
  readonly loosens: boolean;
  /** A call that was allowed may be refused. Never false where that can happen. */
  readonly tightens: boolean;
  /** Other calls, tools or agents are concerned than before. */
  readonly reach: boolean;
  /** Why, in a few words for people; empty where the change says it. */
  readonly why: string;
}

/** A change as it is found, before the modes say what it means. */
export interface FoundChange extends Effect {
  readonly kind: ChangeKind;
  readonly rule_id: string | null;
  readonly text: string;
  /** The parts of a match that came and went. It holds words of the policy, so that it stands in no entry. */
  readonly detail?: string;
  readonly field?: string;
  readonly from?: JsonValue;
  readonly to?: JsonValue;
  /** Loosens whatever the mode: observe mode lets everything else pass anyway. */
  readonly inEveryMode?: boolean;
  readonly affects: Affected;
}

export const NO_EFFECT: Effect = { loosens: false, tightens: false, reach: false, why: '' };

/** The sum of two effects. */
export function both(a: Effect, b: Effect): Effect {
  const why = [a.why, b.why].filter((text, at, all) => text !== '' && all.indexOf(text) === at).join('; ');
  return {
    loosens: a.loosens || b.loosens,
    tightens: a.tightens || b.tightens,
    reach: a.reach || b.reach,
    why,
  };
}

/** The effect of taking back what has this one. */
export function undone({ loosens, tightens, reach }: Effect): Effect {
  return { loosens: tightens, tightens: loosens, reach, why: '' };
}
