import { type Finding, quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule } from '../snapshot/plain.js';

const CODE = 'project_only_narrows';

/**
 * Parts of a project's policy that do other than they would in that of the home: it is asked beside it, and
 * takes away only.
 */
export function projectWarnings(policy: PlainPolicy): readonly Finding[] {
  const { defaults, mode, rules, selectors, world } = policy;
  const told = (message: string, path: Finding['path'], help: string): Finding => ({
    code: CODE,
    message,
    path,
    help,
  });
  return [
    ...(mode === 'observe'
      ? [told('in mode `observe` it refuses nothing', ['mode'], 'write `guardrails` or `control`')]
      : []),
    ...(Object.keys(selectors).length > 0
      ? [
          told(
            'runs that are not selected are refused everything here',
            ['selectors'],
            'write `selectors: {}`',
          ),
        ]
      : []),
    ...(defaults.fail_open_read_tools
      ? [
          told(
            '`fail_open_read_tools` has no effect here',
            ['defaults', 'fail_open_read_tools'],
            'leave it to the policy of the home',
          ),
        ]
      : []),
    ...shownParts(world).map((path) =>
      told('a project shows a world nothing more', path, 'leave it to the policy of the home'),
    ),
    ...rules.flatMap((rule, at): readonly Finding[] => {
      const said = rule.enabled ? saidOf(rule, policy, at) : undefined;
      return said === undefined ? [] : [told(said, ['rules', at], ONLY_NARROWS)];
    }),
  ];
}

/** Files that a project would show to worlds. */
function shownParts(world: PlainPolicy['world']): readonly Finding['path'][] {
  if (world === undefined) return [];
  const parts = [
    { fs: world.fs, path: ['world'] },
    ...(world.profiles ?? []).map(({ fs }, at) => ({ fs, path: ['world', 'profiles', at] })),
  ];
  return parts.flatMap(({ fs, path }) =>
    (['read', 'write'] as const).filter((key) => fs?.[key] !== undefined).map((key) => [...path, 'fs', key]),
  );
}

const ONLY_NARROWS = 'the policy of a project takes away only: the policy of the home decides beside it';

function saidOf(rule: PlainRule, { defaults, rules }: PlainPolicy, at: number): string | undefined {
  const name = quoted(rule.rule_id);
  if (rule.kind === 'ask') return `ask ${name} refuses here: a project asks nobody`;
  if (rule.kind === 'budget' && rule.effect.budget.on_exceed === 'ASK')
    return `budget ${name} refuses here: a project asks nobody`;
  if (rule.kind !== 'allow' || rule.effect.overrides !== undefined) return undefined;
  const opens = defaults.no_match === 'BLOCK' || rules.some((one, place) => place > at && refuses(one));
  return opens ? undefined : `allow ${name} has no effect here: this file refuses nothing that it allows`;
}

function refuses({ enabled, kind }: PlainRule): boolean {
  return enabled && (kind === 'deny' || kind === 'ask');
}
