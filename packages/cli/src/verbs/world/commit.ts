import { newId, sha256Hex, SublError } from '@subluminal/core-types';
import {
  type Applied,
  applyPlan,
  type BytePath,
  type CommitPlan,
  type Diff,
  type Layer,
  type LayerAbout,
  withLayer,
  withMissing,
} from '@subluminal/layers';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import { YES } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { signsOf } from '@subluminal/records';
import { countOf } from '../../record/files-text.js';
import {
  assertNoneNamed,
  chosenLayer,
  fitting,
  folderOf,
  LAYER_FLAG,
  namingOf,
  pathsIn,
} from '../../world/layer/chosen-layer.js';
import { commitFacts, type Done, leftOf, takenBy } from '../../world/layer/commit/commit-facts.js';
import { committedJson, nothingCommittedJson } from '../../world/layer/commit/committed-json.js';
import { leftLines } from '../../world/layer/commit/left.js';
import { planned, type Wanted } from '../../world/layer/commit/planned.js';
import { settled, type WorldAfter } from '../../world/layer/commit/settled.js';
import { ASKED_FLAG, decided, recoveryOf } from '../../world/layer/decision.js';
import { EXPECT_FLAG, expected, type Shown } from '../../world/layer/look/look.js';
import { claimed } from '../../world/layer/take.js';
import { sessionOfLayer } from '../../world/session/place.js';

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
      const chosen = await chosenLayer(call, 'commit');
      if (chosen === undefined) return nothing(call);
      const about = await claimed(call.home, chosen, call.session.now());
      return withLayer(about, recoveryOf(call, about), (layer) => committed(call, about, layer));
    },
  );
}

function nothing(call: Given): number {
  assertNoneNamed(call);
  if (call.output.json) call.output.value(nothingCommittedJson(folderOf(call)));
  else call.output.line('nothing differs');
  return EXIT.done;
}

async function committed(call: Given, about: LayerAbout, layer: Layer): Promise<number> {
  const { output, session } = call;
  const named = pathsIn(about, call.args, session.cwd, call.flags);
  const isOverwriting = call.flags.overwrite;
  const all = named.map(({ path }) => path);
  // Nobody was shown files that the world did not change.
  const diff = isOverwriting && call.flags.expect === undefined ? withMissing(layer, all) : layer.diff;
  const paths = fitting(named, diff, layer);
  await ensureGateway(call, 'automatic');
  // Policies are a third of all that this loads, and no other verb of worlds needs them.
  const { askedByPolicy } = await import('../../world/layer/asked-by.js');
  const askedBy = await askedByPolicy(call, about);
  const name = namingOf(call, about);
  const before = await expected(call, layer, askedBy);
  const wanted = { layer, diff, paths, isOverwriting, askedBy, name };
  const plan = await planned(call, { ...wanted, ...boundTo(before, isOverwriting ? all : []) });
  const { applied, entry, isTold } = await taken(call, about, { layer, diff, plan });
  const done = { plan, applied };
  const world = await settled(call.home, about, layer, applied.done);
  if (output.json)
    output.value({ ...committedJson(about, done, name), entry: entry ?? null, world: world ?? null });
  else {
    const as = entry === undefined ? '' : `, recorded as entry ${entry}`;
    const told = takenBy(done, diff);
    const signs = told === undefined ? 'nothing' : signsOf(told);
    output.note(`sub: ${signs} taken over into \`${escapeText(about.project)}\`${as}`);
    output.lines(leftLines(done, name));
    if (world !== undefined && applied.done.length > 0) output.note(worldWords(call, about, world));
  }
  return isTold ? exitOf(done) : EXIT.failed;
}

/** Binds a plan to a look, of which somebody has named these files to be overwritten, one by one. */
function boundTo(before: Shown | undefined, named: readonly BytePath[]): Pick<Wanted, 'pins' | 'seen'> {
  if (before === undefined) return { pins: undefined, seen: undefined };
  const isNamed = ({ path }: { readonly path: BytePath }): boolean => named.includes(path);
  const seen = new Map(before.overwritten.filter(isNamed).map(({ path, state }) => [path, state]));
  return { pins: [...before.pins, ...before.overwrittenPins.filter(isNamed)], seen };
}

/** The sentence about the world behind a commit. */
function worldWords({ home }: Given, { place }: LayerAbout, world: WorldAfter): string {
  if (world === 'ended')
    return 'sub: the idle world has ended, with its `/tmp` and home: the next one sees the project as it is';
  const keeps = 'the world that runs keeps its copies of these files';
  return sessionOfLayer(home, place.id) === undefined
    ? `${keeps} until its run ends`
    : `${keeps}: after \`sub world close\` the next one sees what you change there`;
}

/** A commit that went as far as it could. */
interface Taken {
  readonly applied: Applied;
  /** The entry that began it; undefined: nothing of the project was to be changed. */
  readonly entry: number | undefined;
  readonly isTold: boolean;
}

interface ToTake {
  readonly layer: Layer;
  readonly diff: Diff;
  readonly plan: CommitPlan;
}

async function taken(call: Given, about: LayerAbout, { layer, diff, plan }: ToTake): Promise<Taken> {
  const { project, upper } = layer;
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
      end: { done: countOf(takenBy(done, diff)), left: leftOf(done), exit: exitOf(done), ...full },
    };
  });
  return { applied: value, ...rest };
}

function exitOf({ plan, applied }: Done): number {
  const isLeft = applied.conflicts.length + plan.refusals.length > 0;
  if (isLeft || applied.isFull || plan.isPartial) return EXIT.failed;
  return plan.waiting.length > 0 ? EXIT.refused : EXIT.done;
}
