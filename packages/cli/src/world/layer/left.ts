import {
  CONFLICT_WORDS,
  type Conflict,
  type LeftWords,
  type Refusal,
  REFUSAL_WORDS,
  shown,
} from '@subluminal/layers';
import { counted } from '../../output/counted.js';
import { reasonsOf } from './change-lines.js';
import type { Done } from './commit-facts.js';

/** Paths of each kind that are printed. */
const MOST_LINES = 100;

/** The words that say how to go on, as `naming` gives them. */
type Naming = (help: string) => string;

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
  return { path: shown(path), why, system: system ?? null, what, help: name(help), ...own };
}

/** A refusal for `--json`. */
export function refusalOf({ path, why }: Refusal, name: Naming): Left {
  const { what, help } = REFUSAL_WORDS[why];
  return { path: shown(path), why, system: null, what, help: name(help) };
}

/** All that a commit has left, and what it has taken over otherwise than the world had it, for people. */
export function leftLines({ plan, applied }: Done, name: Naming): readonly string[] {
  const { conflicts, done, isFull } = applied;
  const isDone = new Set(done);
  const left = [
    ...conflicts.map((one) => conflictOf(one, name)),
    ...plan.refusals.map((one) => refusalOf(one, name)),
  ];
  const stripped = plan.stripped.filter((path) => isDone.has(path));
  return [
    ...listed(
      'left, since a person is asked (`--yes` takes it over):',
      plan.waiting.map((ask) => `${shown(ask.path)}: ${reasonsOf(ask).join('; ')}`),
    ),
    ...listed('left:', left.map(lineOf)),
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

function lineOf({ path, what, help, system, aside }: Left): string {
  const kept = aside === undefined ? '' : `; what was there is kept as \`${aside}\``;
  return `${path}: ${what}${system === null ? '' : ` (${system})`}${kept}; ${help}`;
}

function listed(head: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MOST_LINES;
  const all = lines.slice(0, MOST_LINES).map((line) => `  ${line}`);
  return [head, ...all, ...(more > 0 ? [`  and ${more} more: \`--json\` has all`] : [])];
}
