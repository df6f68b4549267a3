import {
  type BytePath,
  CONFLICT_WORDS,
  type Conflict,
  type LeftWords,
  type Refusal,
  REFUSAL_WORDS,
  shown,
} from '@subluminal/layers';
import { counted } from '../../../output/counted.js';
import { reasonsOf } from '../change-lines.js';
import type { Naming } from '../chosen-layer.js';
import type { Done } from './commit-facts.js';

/** Paths of each kind that are printed. */
const MOST_LINES = 100;

/** A conflict, or what no commit takes over. */
export interface Left extends LeftWords {
  readonly path: string;
  readonly why: string;
  /** The code of the system's error, as `EACCES`; null: it is none of the system's. */
  readonly system: string | null;
  /** Where the thing that had the name is kept, if it could not be put back. */
  readonly aside?: string;
}

/** A conflict for `--json`. */
export function conflictOf({ path, why, system, aside }: Conflict, name: Naming): Left {
  const { what, help } = CONFLICT_WORDS[why];
  const own = aside === undefined ? {} : { aside: shown(aside) };
  return { path: shown(path), why, system: system ?? null, what, help: name(help, [path]), ...own };
}

/** A refusal for `--json`. */
export function refusalOf({ path, why }: Refusal, name: Naming): Left {
  const { what, help } = REFUSAL_WORDS[why];
  return { path: shown(path), why, system: null, what, help: name(help, [path]) };
}

/** All that a commit has left, and what it has taken over otherwise than the world had it, for people. */
export function leftLines({ plan, applied }: Done, name: Naming): readonly string[] {
  const { conflicts, done, isFull } = applied;
  const isDone = new Set(done);
  const left = [
    ...conflicts.map(({ path, why, system, aside }): LeftPath => ({
      path,
      system,
      aside,
      ...CONFLICT_WORDS[why],
    })),
    ...plan.refusals.map(({ path, why }): LeftPath => ({ path, ...REFUSAL_WORDS[why] })),
  ];
  const stripped = plan.stripped.filter((path) => isDone.has(path));
  return [
    ...listed(
      'left, since a person is asked (`--yes` takes it over):',
      plan.waiting.map((ask) => `${shown(ask.path)}: ${reasonsOf(ask).join('; ')}`),
    ),
    ...leftGroups(left, name),
    ...listed(
      'taken over without their set-id bits:',
      stripped.map((path) => shown(path)),
    ),
    ...(plan.gitsOwn.length === 0
      ? []
      : [
          `${counted(plan.gitsOwn.length, 'change')} of git's own left in the layer: locks, and objects that git took away`,
        ]),
    ...(isFull ? ['no room is left in the project: make some, and commit again'] : []),
    ...(plan.isPartial ? ['there are more changes than were looked at: commit again'] : []),
  ];
}

interface LeftPath extends LeftWords {
  readonly path: BytePath;
  readonly system?: string | undefined;
  readonly aside?: BytePath | undefined;
}

/** The paths that are left, each with its reason; behind those of one kind the ways to go on. */
function leftGroups(left: readonly LeftPath[], name: Naming): readonly string[] {
  if (left.length === 0) return [];
  const shownOnes = left.slice(0, MOST_LINES);
  const helps = new Map<string, LeftPath[]>();
  for (const one of shownOnes) helps.set(one.help, [...(helps.get(one.help) ?? []), one]);
  const more = left.length - shownOnes.length;
  return [
    'left:',
    ...[...helps].flatMap(([help, ones]) => [
      ...ones.map((one) => `  ${lineOf(one)}`),
      ...name(
        help,
        ones.map(({ path }) => path),
      )
        .split('; ')
        .map((way) => `    ${way}`),
    ]),
    ...(more > 0 ? [`  and ${more} more: \`--json\` has all`] : []),
  ];
}

function lineOf({ path, what, system, aside }: LeftPath): string {
  const kept = aside === undefined ? '' : `; what was there is kept as \`${shown(aside)}\``;
  return `${shown(path)}: ${what}${system === undefined ? '' : ` (${system})`}${kept}`;
}

function listed(head: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MOST_LINES;
  const all = lines.slice(0, MOST_LINES).map((line) => `  ${line}`);
  return [head, ...all, ...(more > 0 ? [`  and ${more} more: \`--json\` has all`] : [])];
}
