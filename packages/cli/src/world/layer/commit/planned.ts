import {
  type Agreed,
  type CommitOf,
  type CommitPlan,
  type Diff,
  isBelow,
  type Layer,
  pinned,
  planCommit,
  toldOf,
} from '@subluminal/layers';
import { Answers } from '../../../output/ask.js';
import { counted } from '../../../output/counted.js';
import type { Call } from '../../../program/call.js';
import { countOf } from '../../../record/files-text.js';
import type { Naming } from '../chosen-layer.js';
import { questionLines } from './question.js';

/** A commit as it is asked for. */
export interface Wanted extends Pick<CommitOf, 'askedBy' | 'isOverwriting' | 'paths' | 'seen'> {
  readonly layer: Layer;
  readonly diff: Diff;
  readonly name: Naming;
  /** The bytes of what was shown before: a yes is to these. Undefined: they are read now. */
  readonly pins: readonly Agreed[] | undefined;
}

type Given = Call<{ readonly yes: boolean }>;

/** The plan of a commit, with a person's yes to what is risky, if there is something. */
export async function planned(call: Given, wanted: Wanted): Promise<CommitPlan> {
  const { layer, diff, paths, isOverwriting, seen, askedBy } = wanted;
  const { project, upper } = layer;
  const planOf = (agreed: CommitOf['agreed']): Promise<CommitPlan> =>
    planCommit({ diff, project, upper, paths, isOverwriting, seen, agreed, askedBy });
  const plan = await planOf([]);
  const mayAsk = process.stdin.isTTY && !call.output.json;
  if (plan.waiting.length === 0 || (!call.flags.yes && !mayAsk)) return plan;
  const asked = wanted.pins ?? (await pinned(plan.waiting, { diff, upper }));
  const agreed = call.flags.yes ? asked : await agreedOf(call, wanted, { asked, plan });
  return agreed.length === 0 ? plan : planOf(agreed);
}

interface Asked {
  readonly asked: readonly Agreed[];
  readonly plan: CommitPlan;
}

/** Those that a person says yes to: all, none, or one after another. */
async function agreedOf(call: Given, wanted: Wanted, { asked, plan }: Asked): Promise<readonly Agreed[]> {
  const { output } = call;
  const lines = (asks: readonly Agreed[]): readonly string[] =>
    questionLines(asks, wanted, output.width, wanted.name);
  const answers = new Answers(process.stdin);
  try {
    output.lines(lines(asked));
    output.question(questionOf(asked.length, othersOf(plan, wanted.diff)));
    const answer = await answers.next();
    if (YES.test(answer)) return asked;
    if (asked.length === 1 || !SINGLY.test(answer)) return [];
    const agreed: Agreed[] = [];
    const refused: Agreed[] = [];
    for (const [at, ask] of asked.entries()) {
      // A new folder that is not made holds nothing.
      if (refused.some(({ path, after }) => after?.kind === 'folder' && isBelow(ask.path, path))) continue;
      output.lines(lines([ask]));
      output.question(`take this over? ${at + 1} of ${asked.length} (y/N) `);
      (YES.test(await answers.next()) ? agreed : refused).push(ask);
      if (answers.ended) break;
    }
    return agreed;
  } finally {
    answers.close();
  }
}

const YES = /^\s*y(es)?\s*$/i;
const SINGLY = /^\s*s\s*$/i;

/** The changes that are taken over in any case, counted as they are told. */
function othersOf({ steps }: CommitPlan, { changes }: Diff): number {
  const inPlan = new Set(steps.map(({ path }) => path));
  return countOf(toldOf({ changes: changes.filter(({ path }) => inPlan.has(path)), isTruncated: false }));
}

/** A no leaves these alone: it is said what becomes of the others. */
function questionOf(asked: number, others: number): string {
  const [these, them] = asked === 1 ? ['this', 'it'] : [`these ${asked}`, 'them'];
  const rest = others === 0 ? '' : ` No leaves ${them}, and takes over ${counted(others, 'other change')}.`;
  const keys = asked === 1 ? 'y/N' : 'y all, s one by one, N none';
  return `take over ${these}, too?${rest} (${keys}) `;
}
