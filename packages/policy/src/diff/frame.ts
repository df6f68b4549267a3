import { canonicalize } from '@subluminal/core-types';
import { looksAtObjects } from '../lint/covers.js';
import { quoted } from '../problem/problem.js';
import type { PlainPolicy } from '../snapshot/plain.js';
import { everyCall } from './affected.js';
import { type Effect, type FoundChange, NO_EFFECT } from './change.js';
import { selectorReach } from './reach.js';

/** The changes outside of the rules: names, mode, defaults, and who the policy is for. */
export function frameChanges(before: PlainPolicy, after: PlainPolicy): readonly FoundChange[] {
  const affects = everyCall(after);
  const changed = (
    kind: FoundChange['kind'],
    field: string,
    [from, to]: readonly [string | boolean, string | boolean],
    effects: Effect,
    more: Partial<FoundChange> = {},
  ): readonly FoundChange[] => {
    if (from === to) return [];
    const text = `${field}: ${quoted(String(from))} → ${quoted(String(to))}`;
    return [{ kind, rule_id: null, field, from, to, text, affects, ...effects, ...more }];
  };
  const [old, fresh] = [before.defaults, after.defaults];
  const away = fresh.fail_open_read_tools
    ? effect(true, 'tools that read may pass while the gateway is away')
    : effect(false, 'nothing passes while the gateway is away');
  return [
    ...changed('policy_id', 'policy_id', [before.policy_id, after.policy_id], NO_EFFECT),
    ...changed('version', 'version', [before.version, after.version], NO_EFFECT),
    ...changed('mode', 'mode', [before.mode, after.mode], modeEffect(before, after)),
    ...changed(
      'default',
      'defaults.decision_on_error',
      [old.decision_on_error, fresh.decision_on_error],
      effect(fresh.decision_on_error === 'ALLOW', 'it is what happens where a rule fails'),
    ),
    ...changed(
      'default',
      'defaults.no_match',
      [old.no_match, fresh.no_match],
      effect(fresh.no_match === 'ALLOW', 'it is what happens where no rule decides'),
    ),
    ...changed(
      'default',
      'defaults.fail_open_read_tools',
      [old.fail_open_read_tools, fresh.fail_open_read_tools],
      away,
      { inEveryMode: true },
    ),
    ...selectorChange(before, after),
    ...toolsChange(before, after),
    ...worldChange(before, after),
  ];
}

/** Other arguments are read: a file more refuses a deny's call, and may be the one that an allow asks for. */
function toolsChange(before: PlainPolicy, after: PlainPolicy): readonly FoundChange[] {
  const changed = (['tools', 'programs'] as const).filter(
    (key) => canonicalize(before[key] ?? null) !== canonicalize(after[key] ?? null),
  );
  const isLookedAt = [before, after].some(({ rules }) =>
    rules.some(({ enabled, match }) => enabled && looksAtObjects(match)),
  );
  const effects = isLookedAt
    ? { loosens: true, tightens: true, reach: true, why: 'rules look at other arguments' }
    : NO_EFFECT;
  return changed.map((key) => ({
    kind: 'tools',
    rule_id: null,
    text: `changed \`${key}\``,
    affects: everyCall(after),
    ...effects,
  }));
}

/** Every mode has it: a world is what its settings say. */
function worldChange({ world: from }: PlainPolicy, after: PlainPolicy): readonly FoundChange[] {
  const { world: to } = after;
  if (canonicalize(from ?? null) === canonicalize(to ?? null)) return [];
  const isNarrower = from === undefined && to !== undefined && !showsMore(to);
  const effects = isNarrower
    ? { loosens: false, tightens: true, reach: true, why: 'worlds are narrower' }
    : { loosens: true, tightens: true, reach: true, why: 'worlds have other settings' };
  const common = { kind: 'world', rule_id: null, affects: everyCall(after), inEveryMode: true } as const;
  return [{ ...common, text: 'changed `world`', ...effects }];
}

function showsMore({ fs, profiles = [] }: NonNullable<PlainPolicy['world']>): boolean {
  return [fs, ...profiles.map((one) => one.fs)].some((one) => one?.read ?? one?.write);
}

function modeEffect(before: PlainPolicy, after: PlainPolicy): Effect {
  if (after.mode === 'observe') return effect(true, 'nothing is refused any more, only recorded');
  if (before.mode === 'observe') return effect(false, 'what was only recorded is refused');
  const why = after.mode === 'control' ? 'refusals may carry hints' : 'refusals carry no hints';
  return { ...NO_EFFECT, why };
}

function selectorChange(before: PlainPolicy, after: PlainPolicy): readonly FoundChange[] {
  const reach = selectorReach(before.selectors, after.selectors);
  if (reach === 'same') return [];
  const common = { kind: 'selectors', rule_id: null, affects: everyCall(after), reach: true } as const;
  // An asker that no policy selects is refused, whatever the mode.
  const effects = {
    wider: { loosens: true, tightens: false, why: 'whoever is selected now was refused before' },
    narrower: { loosens: false, tightens: true, why: 'whoever is selected no longer is refused' },
    other: { loosens: true, tightens: true, why: 'others are selected; whoever is not is refused' },
  } as const;
  const words = { wider: 'selectors widened', narrower: 'selectors narrowed', other: 'selectors changed' };
  return [{ ...common, text: words[reach], inEveryMode: true, ...effects[reach] }];
}

function effect(loosens: boolean, why: string): Effect {
  return { loosens, tightens: !loosens, reach: true, why };
}
