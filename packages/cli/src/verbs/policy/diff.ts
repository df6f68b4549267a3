import {
  comparePolicies,
  type PolicyChange,
  type PolicyComparison,
  type PolicySnapshot,
} from '@subluminal/policy';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import { affectedText } from '../../policy/affected-text.js';
import { policyPath, readPolicy, type PolicyFile } from '../../policy/source.js';
import type { Call } from '../../program/call.js';
import { choice } from '../../program/flags.js';
import { PAGED } from '../../program/pager/paged.js';
import { subVerb, type Does } from '../../program/verb.js';
import { TRUSTED, trustedPolicy } from '../../policy/project/trusted-policy.js';
import { CURRENT, currentPolicy } from '../../policy/current.js';
import { printMistakes, resultJson } from './lint.js';

const FAIL_ON = ['critical', 'loosened', 'any'] as const;

const FLAGS = {
  ...PAGED,
  failOn: choice(
    '<what>',
    'exit 3 on `critical` changes, when it is `loosened`, or on `any` change',
    FAIL_ON,
  ),
};

/** `sub policy diff OLD NEW`: what changed between two policies, what it means, and whom it concerns. */
export function defineDiff(group: Command, does: Does): void {
  does(
    subVerb(group, 'diff', 'compare two policies: what changed, how much it matters, whom it concerns')
      .argument(
        '<old>',
        'a policy file, a starter policy by its name, `current` for what the gateway has loaded, or `trusted` for what is trusted of this project',
      )
      .argument('<new>', 'the same'),
    FLAGS,
    async (call) => {
      const failOn = call.flags.failOn;
      const [before, after] = [await side(call, 0, 'old'), await side(call, 1, 'new')];
      if (before === undefined || after === undefined) return EXIT.failed;
      const comparison = comparePolicies(before, after);
      if (call.output.json) call.output.value(comparisonJson(before, after, comparison));
      else print(call, before, after, comparison);
      return hits(failOn, comparison) ? EXIT.refused : EXIT.done;
    },
  );
}

/** Undefined for a file with mistakes, which have been told. */
async function side(call: Call, index: number, name: string): Promise<PolicySnapshot | undefined> {
  const given = call.operand(index, name);
  if (given === CURRENT) return currentPolicy(call);
  if (given === TRUSTED) return trustedPolicy(call);
  const file: PolicyFile = readPolicy(policyPath(given, call.session.starterPolicies));
  if (file.result.ok) return file.result.snapshot;
  if (call.output.json) call.output.value(resultJson(file));
  else printMistakes(call, file);
  return undefined;
}

function hits(
  failOn: (typeof FAIL_ON)[number] | undefined,
  { loosened, changes }: PolicyComparison,
): boolean {
  switch (failOn) {
    case 'critical':
      return changes.some(({ severity }) => severity === 'critical');
    case 'loosened':
      return loosened;
    case 'any':
      return changes.length > 0;
    case undefined:
      return false;
  }
}

function countOf(changes: readonly PolicyChange[], severity: PolicyChange['severity']): number {
  return changes.filter((change) => change.severity === severity).length;
}

function comparisonJson(
  before: PolicySnapshot,
  after: PolicySnapshot,
  { loosened, tightened, changes }: PolicyComparison,
): Readonly<Record<string, unknown>> {
  const named = ({ policy_id, version, mode, policy_hash }: PolicySnapshot) => ({
    policy_id,
    policy_version: version,
    policy_hash,
    mode,
  });
  return {
    old: named(before),
    new: named(after),
    loosened,
    tightened,
    critical: countOf(changes, 'critical'),
    warn: countOf(changes, 'warn'),
    info: countOf(changes, 'info'),
    changes,
  };
}

const TONES = { critical: 'bad', warn: 'warn', info: 'plain' } as const;

function print(
  call: Call,
  before: PolicySnapshot,
  after: PolicySnapshot,
  comparison: PolicyComparison,
): void {
  const { output } = call;
  const { loosened, tightened, changes } = comparison;
  if (changes.length === 0) {
    output.line(`no difference: both have the policy_hash ${after.policy_hash}`);
    return;
  }
  const named = ({ policy_id, version }: PolicySnapshot): string =>
    `\`${escapeText(policy_id)}\` ${escapeText(version)}`;
  output.line(`${named(before)} → ${named(after)}, mode ${after.mode}`);
  for (const { severity, text, detail, why, affects } of changes) {
    const told = detail === undefined ? text : `${text}: ${detail}`;
    output.line(`${output.paint(TONES[severity], severity.padEnd(8))}  ${escapeText(told)}`);
    if (why !== '') output.line(`          ${escapeText(why)}`);
    output.line(output.paint('dim', `          concerns ${escapeText(affectedText(affects))}`));
  }
  const counts = (['critical', 'warn', 'info'] as const).map((one) => `${countOf(changes, one)} ${one}`);
  const verdict = [...(loosened ? ['loosened'] : []), ...(tightened ? ['tightened'] : [])].join(' and ');
  output.line(
    `${counted(changes.length, 'change')}: ${counts.join(', ')}${verdict === '' ? '' : `; ${verdict}`}`,
  );
}
