import {
  type Ask,
  type BytePath,
  type Change,
  type CommitPlan,
  CONFLICT_WORDS,
  REFUSAL_WORDS,
  shown,
} from '@subluminal/layers';
import { reasonsOf, remarksOf, SIGNS } from '../change-lines.js';
import type { Shown } from './look.js';

/** A change for `--json`. */
export interface ChangeJson {
  readonly path: string;
  readonly how: Change['how'];
  readonly sign: string;
  readonly kind: string | null;
  readonly size: number | null;
  /** A commit of all would take it over, ask somebody about it, or leave it. */
  readonly state: 'taken' | 'asks' | 'left';
  readonly risks: readonly string[];
  readonly reasons: readonly string[];
  /** Why it is left, in words, and what to do; null: it is not. */
  readonly why: string | null;
  readonly what: string | null;
  readonly help: string | null;
  readonly remark: string | null;
  /** One that is left, and that overwriting takes over. */
  readonly overwrite: boolean;
}

/** Changes as a look judges them, each for `--json`. */
export function changesJson(
  changes: readonly Change[],
  { plan, overwritten }: Pick<Shown, 'overwritten' | 'plan'>,
): readonly ChangeJson[] {
  const over = new Map(overwritten.map((one) => [one.path, one]));
  const remarks = remarksOf(plan);
  const asks = new Map(plan.waiting.map((ask) => [ask.path, ask]));
  const left = leftIn(plan);
  return changes.map((change) => {
    const { path, how, before, after } = change;
    const [ask, why] = [asks.get(path), left.get(path)];
    return {
      path: shown(path),
      how,
      sign: SIGNS[how],
      kind: (after ?? before)?.kind ?? null,
      size: after?.size ?? null,
      ...reasonsJson(ask ?? over.get(path)?.ask),
      state: why === undefined ? (ask === undefined ? 'taken' : 'asks') : 'left',
      why: why?.why ?? null,
      what: why?.what ?? null,
      help: why?.help ?? null,
      remark: remarks.get(path) ?? null,
      overwrite: over.has(path),
    };
  });
}

/** Those that are named, and that need a person, first; then others. In the order of paths again. */
export function mostOf(
  changes: readonly Change[],
  plan: CommitPlan,
  { most, named }: { readonly most: number; readonly named: ReadonlySet<BytePath> },
): readonly Change[] {
  if (changes.length <= most) return changes;
  const told = remarksOf(plan);
  const rank = ({ path }: Change): number => (named.has(path) ? 0 : told.has(path) ? 1 : 2);
  const kept = new Set(changes.toSorted((one, other) => rank(one) - rank(other)).slice(0, most));
  return changes.filter((change) => kept.has(change));
}

function reasonsJson(ask: Ask | undefined): Pick<ChangeJson, 'risks' | 'reasons'> {
  return ask === undefined ? { risks: [], reasons: [] } : { risks: ask.risks, reasons: reasonsOf(ask) };
}

interface Left {
  readonly why: string;
  readonly what: string;
  readonly help: string | null;
}

function leftIn({ conflicts, refusals, gitsOwn }: CommitPlan): ReadonlyMap<BytePath, Left> {
  return new Map<BytePath, Left>([
    ...gitsOwn.map((path) => [path, { why: 'git', what: "it is git's own", help: null }] as const),
    ...conflicts.map(({ path, why }) => [path, { why, ...CONFLICT_WORDS[why] }] as const),
    ...refusals.map(({ path, why }) => [path, { why, ...REFUSAL_WORDS[why] }] as const),
  ]);
}
