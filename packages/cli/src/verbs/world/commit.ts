import { newId, sha256Hex, SublError } from '@subluminal/core-types';
import {
  type Applied,
  applyPlan,
  type CommitPlan,
  type CommitOf,
  type Layer,
  type LayerAbout,
  letGo,
  pinned,
  planCommit,
  rememberTaken,
  shown,
  withLayer,
} from '@subluminal/layers';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { agrees, YES } from '../../output/ask.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { ensureGateway } from '../../gateway/start.js';
import { askedByPolicy } from '../../world/layer/asked-by.js';
import { reasonsOf } from '../../world/layer/change-lines.js';
import { questionLines } from '../../world/layer/question.js';
import { chosenLayer, fitting, LAYER_FLAG, naming, pathsIn } from '../../world/layer/chosen-layer.js';
import { commitFacts, type Done, leftOf, takenBy } from '../../world/layer/commit-facts.js';
import { conflictOf, leftLines, refusalOf } from '../../world/layer/left.js';
import { ASKED_FLAG, decided, recoveryOf } from '../../world/layer/decision.js';
import { EXPECT_FLAG, expected, type Shown } from '../../world/layer/look/look.js';
import { claimed } from '../../world/layer/take.js';

const FLAGS = {
  ...LAYER_FLAG,
  ...EXPECT_FLAG,
  ...ASKED_FLAG,
  overwrite: flag('take the paths that are named also where the project has changed since'),
  yes: YES,
};
const TOKEN_LENGTH = 32;

type Given = Call<Values<typeof FLAGS>>;

/** `sub world commit [PATH…]`: the project gets the changes of a layer. */
export function defineCommit(group: Command, does: Does): void {
  does(
    subVerb(group, 'commit', 'take over into the project what worlds have changed').argument(
      '[paths...]',
      'files and folders of the project (default: all)',
    ),
    FLAGS,
    async (call) => {
      if (call.flags.overwrite && call.args.length === 0)
        throw new SublError('usage', '`--overwrite` is for paths that are named', {
          help: 'name them: `sub world commit --overwrite PATH…`',
        });
      // An agent must not answer for itself.
      await assertOutsideRun(call);
      const about = await claimed(call.home, chosenLayer(call), call.session.now());
      return withLayer(about, recoveryOf(call, about), (layer) => committed(call, about, layer));
    },
  );
}

async function committed(call: Given, about: LayerAbout, layer: Layer): Promise<number> {
  const { output, session } = call;
  const paths = fitting(pathsIn(about, call.args, session.cwd, call.flags), layer);
  await ensureGateway(call, 'automatic');
  const askedBy = await askedByPolicy(call, about);
  const before = await expected(call, layer, askedBy);
  const plan = await planned(call, layer, { paths, askedBy }, before);
  const { applied, entry, isTold } = await taken(call, about, layer, plan);
  const done = { plan, applied };
  // A world that has the layer would be confused if its files went.
  if (about.world === undefined) await letGo(about, layer, new Set(applied.done));
  else await rememberTaken(layer, applied.done);
  if (output.json) output.value({ ...committedJson(call, about, done), entry: entry ?? null });
  else {
    const as = entry === undefined ? '' : `, recorded as entry ${entry}`;
    output.note(
      `sub: ${counted(takenBy(done), 'change')} taken over into \`${escapeText(about.project)}\`${as}`,
    );
    output.lines(leftLines(done, (help) => naming(help, call)));
    if (about.world !== undefined && applied.done.length > 0)
      output.note(
        'the world that runs keeps its copies of these files: after `sub world close` the next one sees what you change there',
      );
  }
  return isTold ? exitOf(done) : EXIT.failed;
}

/** A commit that went as far as it could. */
interface Taken {
  readonly applied: Applied;
  /** The entry that began it; undefined: nothing of the project was to be changed. */
  readonly entry: number | undefined;
  readonly isTold: boolean;
}

async function taken(call: Given, about: LayerAbout, layer: Layer, plan: CommitPlan): Promise<Taken> {
  const { project, upper, diff } = layer;
  const token = sha256Hex(newId()).slice(0, TOKEN_LENGTH);
  const apply = (): Promise<Applied> =>
    applyPlan(plan, { project, upper, journal: about.place.journal, token });
  if (plan.steps.length === 0) return { applied: await apply(), entry: undefined, isTold: true };
  const facts = { ...commitFacts(plan, diff), ...(call.flags.overwrite ? { overwrite: true as const } : {}) };
  const { value, ...rest } = await decided(call, about, { action: 'layer.commit', facts }, async () => {
    const applied = await apply();
    const done = { plan, applied };
    const full = applied.isFull ? { full: true as const } : {};
    return {
      value: applied,
      end: { done: takenBy(done), left: leftOf(done), exit: exitOf(done), ...full },
    };
  });
  return { applied: value, ...rest };
}

function exitOf({ plan, applied }: Done): number {
  const isLeft = applied.conflicts.length + plan.refusals.length > 0;
  if (isLeft || applied.isFull || plan.isPartial) return EXIT.failed;
  return plan.waiting.length > 0 ? EXIT.refused : EXIT.done;
}

/** A no leaves these alone: it is said what becomes of the others. */
function questionOf(asked: number, { steps }: CommitPlan): string {
  const others = new Set(steps.map(({ path }) => path)).size;
  const [these, them] = asked === 1 ? ['this', 'it'] : ['these', 'them'];
  const rest = others === 0 ? '' : ` No leaves ${them}, and takes over ${counted(others, 'other change')}.`;
  return `take over ${these}, too?${rest}`;
}

/** With a person's yes to what is risky, if there is something. */
async function planned(
  call: Given,
  layer: Layer,
  { paths, askedBy }: Pick<CommitOf, 'paths' | 'askedBy'>,
  before: Shown | undefined,
): Promise<CommitPlan> {
  const { flags, output } = call;
  const { diff, project, upper } = layer;
  const planOf = (agreed: CommitOf['agreed']): Promise<CommitPlan> =>
    planCommit({ diff, project, upper, paths, isOverwriting: flags.overwrite, agreed, askedBy });
  const plan = await planOf([]);
  const mayAsk = process.stdin.isTTY && !output.json;
  if (plan.waiting.length === 0 || (!flags.yes && !mayAsk)) return plan;
  // A yes to what was shown before is to the bytes of then.
  const asked = before?.pins ?? (await pinned(plan.waiting, layer));
  if (!flags.yes) {
    output.lines(questionLines(asked, layer, output.width, (help) => naming(help, call)));
    if (!(await agrees(call, questionOf(asked.length, plan)))) return plan;
  }
  return planOf(asked);
}

function committedJson(call: Given, about: LayerAbout, { plan, applied }: Done): object {
  const { done, conflicts, isFull } = applied;
  const name = (help: string): string => naming(help, call);
  return {
    layer: about.place.id,
    folder: about.project,
    committed: done.map((path) => shown(path)),
    asks: plan.waiting.map((ask) => ({
      path: shown(ask.path),
      risks: ask.risks,
      pattern: ask.pattern ?? null,
      reasons: reasonsOf(ask),
    })),
    conflicts: conflicts.map((one) => conflictOf(one, name)),
    refused: plan.refusals.map((one) => refusalOf(one, name)),
    stripped: plan.stripped.map((path) => shown(path)),
    kept: plan.gitsOwn.map((path) => shown(path)),
    full: isFull,
    truncated: plan.isPartial,
  };
}
