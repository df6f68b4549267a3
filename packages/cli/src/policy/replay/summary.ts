import type { JsonObject } from '@subluminal/core-types';
import { policyRef, type PolicySnapshot, type ReplayGroup, type ReplayTally } from '@subluminal/policy';
import { escapeText } from '../../output/escape.js';
import { wordFor } from '@subluminal/records';
import type { Surface, Tone } from '../../output/style.js';
import { table, type Cell } from '../../output/table.js';

/** The name of each outcome. */
export const NAMES: Readonly<Record<ReplayGroup['verdict'], readonly [string, Tone]>> = {
  newly_blocked: ['newly refused', 'bad'],
  newly_allowed: ['newly allowed', 'good'],
  changed: ['refused otherwise', 'warn'],
  not_reached: ['not reached', 'bad'],
  unknown: ['unknown', 'warn'],
  same: ['the same', 'dim'],
};

const COLUMNS = [
  { title: 'CALLS', align: 'right' },
  { title: 'OUTCOME' },
  { title: 'TOOL', max: 50, min: 16, cut: 'middle' },
  { title: 'WAS → WOULD BE', max: 60, min: 24 },
  { title: 'RULE', max: 40, min: 10 },
  { title: 'EXAMPLES', max: 220, min: 20, spare: 1 },
] as const;

/** Groups that are shown to a person. */
const MAX_SHOWN = 40;

/** The replay for programs; the names are documented in docs/cli.md. */
export function summaryJson(snapshot: PolicySnapshot, tally: ReplayTally): JsonObject {
  return {
    kind: 'summary',
    policy: { ...policyRef(snapshot), mode: snapshot.mode },
    calls: tally.calls,
    counts: { ...tally.counts },
    lost: tally.lost,
    groups: tally.groups.map(({ missing, examples, wasAsked: _was, nowAsked: _now, ...group }) => ({
      ...group,
      missing: [...missing],
      examples: [...examples],
    })),
  };
}

/** The replay for people: the counts, then the groups of calls that come out differently. */
export function summaryLines(
  snapshot: PolicySnapshot,
  tally: ReplayTally,
  surface: Surface,
): readonly string[] {
  const { paint } = surface;
  const name = `${escapeText(snapshot.policy_id)} ${escapeText(snapshot.version)}, mode ${snapshot.mode}`;
  const lines = [`${tally.calls} recorded calls under ${name}`, ''];
  const width = Math.max(...Object.values(tally.counts).map((count) => String(count).length));
  for (const [verdict, [words, tone]] of Object.entries(NAMES)) {
    const count = tally.counts[verdict as ReplayGroup['verdict']];
    lines.push(`${String(count).padStart(width + 2)}  ${paint(count === 0 ? 'dim' : tone, words)}`);
  }
  const { groups } = tally;
  if (groups.length === 0) return lines;
  lines.push('', ...table(COLUMNS, groups.slice(0, MAX_SHOWN).map(rowOf), surface));
  if (groups.length > MAX_SHOWN) lines.push(`… ${groups.length - MAX_SHOWN} more groups (\`--json\`)`);
  return lines;
}

/** Why a call is unknown, in words. */
export function becauseText(because: string | null | undefined, missing: readonly string[]): string {
  switch (because) {
    case 'arguments':
      return `not kept: ${missing.map((key) => `\`${key}\``).join(', ')}`;
    case 'limit':
      return 'a limit may have counted otherwise';
    case 'run':
      return 'the run may have ended by then';
    case 'beginning':
      return 'the start of the run is not there';
    default:
      return 'not known';
  }
}

function rowOf(group: ReplayGroup): readonly Cell[] {
  const [words, tone] = NAMES[group.verdict];
  const { was, now, count, because, missing, server_name: server, tool_name: tool } = group;
  const outcome =
    group.verdict === 'unknown'
      ? becauseText(because, missing)
      : now === null
        ? 'the run has ended'
        : inWords(now, group.nowAsked === count);
  return [
    { text: String(group.count) },
    { text: words, tone },
    { text: server === null ? 'others' : `${server}.${tool ?? ''}` },
    { text: was === '' ? '' : `${inWords(was, group.wasAsked === count)} → ${outcome}` },
    { text: group.rule_id ?? '' },
    { text: group.examples.join(' ') },
  ];
}

/** An outcome of the tally, which may be `ALLOW (observe: BLOCK)`, in the words of people. */
function inWords(outcome: string, isAsked: boolean): string {
  return outcome.replaceAll(/[A-Z_]{2,}/g, (code) => wordFor(isAsked && code !== 'ALLOW' ? 'ASKED' : code));
}
