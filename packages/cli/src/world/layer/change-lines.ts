import {
  type Ask,
  type Change,
  type CommitPlan,
  CONFLICT_WORDS,
  type How,
  isBelow,
  REFUSAL_WORDS,
  RISK_WORDS,
  shown,
} from '@subluminal/layers';
import { escapeText } from '../../output/escape.js';

export const SIGNS: Readonly<Record<How, string>> = {
  added: '+',
  modified: '~',
  replaced: '~',
  mode: '~',
  deleted: '-',
  touched: '·',
};

/** Words behind a path: why it is asked about, or cannot be taken over. */
export type Remarks = ReadonlyMap<string, string>;

/** The reasons to ask about a change, for people. */
export function reasonsOf({ risks, pattern }: Ask): readonly string[] {
  const words = risks.map((risk) => RISK_WORDS[risk]);
  return pattern === undefined ? words : [`the policy asks about \`${escapeText(pattern)}\``, ...words];
}

/** The words of a plan about single paths. */
export function remarksOf({ waiting, conflicts, refusals, gitsOwn, stripped }: CommitPlan): Remarks {
  return new Map([
    ...stripped.map((path) => [path, 'its set-id bits are taken away'] as const),
    ...gitsOwn.map((path) => [path, "left: it is git's own"] as const),
    ...waiting.map((ask) => [ask.path, `asks: ${reasonsOf(ask).join('; ')}`] as const),
    ...conflicts.map(
      ({ path, why, system }) =>
        [path, `left: ${CONFLICT_WORDS[why].what}${system === undefined ? '' : ` (${system})`}`] as const,
    ),
    ...refusals.map(({ path, why }) => [path, `left: ${REFUSAL_WORDS[why].what}`] as const),
  ]);
}

/**
 * A line for each change. A new folder has one only if nothing that is told stands in it, and so has one that
 * is gone.
 */
export function changeLines(changes: readonly Change[], remarks: Remarks): readonly string[] {
  return changes.flatMap((change, at) => {
    const next = changes[at + 1];
    const remark = remarks.get(change.path);
    const isTold = change.how === 'added' || change.how === 'deleted';
    if (isTold && remark === undefined && next !== undefined && isBelow(next.path, change.path)) return [];
    return [
      `${SIGNS[change.how]} ${shown(change.path)}${wordOf(change)}${remark === undefined ? '' : `  ${remark}`}`,
    ];
  });
}

function wordOf({ how, before, after }: Change): string {
  if (how === 'mode') return ` (mode ${octal(before?.mode)} to ${octal(after?.mode)})`;
  if (how === 'replaced') return ` (${before?.kind} to ${after?.kind})`;
  const kind = (after ?? before)?.kind;
  return kind === 'file' || kind === undefined ? '' : ` (${kind})`;
}

function octal(mode = 0): string {
  return mode.toString(8).padStart(4, '0');
}
