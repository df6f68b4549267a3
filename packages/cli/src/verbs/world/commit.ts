import { newId, sha256Hex } from '@subluminal/core-types';
import {
  type Applied,
  applyPlan,
  type CommitPlan,
  CONFLICT_WORDS,
  type CommitOf,
  type Layer,
  type LayerAbout,
  letGo,
  planCommit,
  REFUSAL_WORDS,
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
import type { Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { ensureGateway } from '../../gateway/start.js';
import { askedByPolicy } from '../../world/layer/asked-by.js';
import { reasonsOf } from '../../world/layer/change-lines.js';
import { questionLines } from '../../world/layer/question.js';
import { chosenLayer, LAYER_FLAG, pathsIn } from '../../world/layer/chosen-layer.js';
import { claimed } from '../../world/layer/take.js';

const FLAGS = { ...LAYER_FLAG, yes: YES };
const TOKEN_LENGTH = 32;
/** Paths of each kind that are printed. */
const MOST_LINES = 100;

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
      // An agent must not answer for itself.
      await assertOutsideRun(call);
      const about = await claimed(call.home, chosenLayer(call), call.session.now());
      return withLayer(about, (layer) => committed(call, about, layer));
    },
  );
}

async function committed(call: Given, about: LayerAbout, layer: Layer): Promise<number> {
  const { output, session } = call;
  const paths = pathsIn(about, call.args, session.cwd);
  await ensureGateway(call, 'automatic');
  const askedBy = await askedByPolicy(call, about);
  const { plan, asked } = await planned(call, layer, { paths, askedBy });
  const { project, upper } = layer;
  const token = sha256Hex(newId()).slice(0, TOKEN_LENGTH);
  const applied = await applyPlan(plan, { project, upper, journal: about.place.journal, token });
  // A world that has the layer would be confused if its files went.
  if (about.holder === undefined) await letGo(about, layer, new Set(applied.done));
  else layer.bases.forget(applied.done);
  if (output.json) output.value(committedJson(about, { plan, asked, applied }));
  else {
    output.note(
      `sub: ${counted(applied.done.length, 'change')} taken over into \`${escapeText(about.project)}\``,
    );
    output.lines(leftLines({ plan, asked, applied }));
    if (about.holder !== undefined)
      output.note(
        'the world goes on with its own copies of these files: `sub world restart` has it see yours',
      );
  }
  if (applied.conflicts.length + plan.refusals.length > 0 || applied.isFull || plan.isPartial)
    return EXIT.failed;
  return asked.length > 0 ? EXIT.refused : EXIT.done;
}

/** A commit that is planned, and the risky changes to which nobody has said yes. */
interface Planned {
  readonly plan: CommitPlan;
  readonly asked: CommitPlan['asks'];
}

/** With a person's yes to what is risky, if there is something. */
async function planned(
  call: Given,
  layer: Layer,
  { paths, askedBy }: Pick<CommitOf, 'paths' | 'askedBy'>,
): Promise<Planned> {
  const { diff, project, upper } = layer;
  const planOf = (withRisky: boolean): Promise<CommitPlan> =>
    planCommit({ diff, project, upper, paths, withRisky, askedBy });
  if (call.flags.yes) return { plan: await planOf(true), asked: [] };
  const plan = await planOf(false);
  if (plan.asks.length === 0 || !process.stdin.isTTY || call.output.json) return { plan, asked: plan.asks };
  call.output.lines(questionLines(plan.asks, layer, call.output.width));
  const isYes = await agrees(call, `take over ${plan.asks.length === 1 ? 'this' : 'these'}, too?`);
  return isYes ? { plan: await planOf(true), asked: [] } : { plan, asked: plan.asks };
}

function askLines(asks: CommitPlan['asks']): readonly string[] {
  return bounded(asks.map((ask) => `  ${shown(ask.path)}: ${reasonsOf(ask).join('; ')}`));
}

/** A commit that is done. */
interface Done extends Planned {
  readonly applied: Applied;
}

function leftLines({ plan, asked, applied: { conflicts, isFull } }: Done): readonly string[] {
  const risky =
    asked.length === 0 ? [] : ['left, since a person is asked (`--yes` takes it over):', ...askLines(asked)];
  const all = [
    ...conflicts.map(
      ({ path, why }) => `  ${shown(path)}: ${CONFLICT_WORDS[why].what}; ${CONFLICT_WORDS[why].help}`,
    ),
    ...plan.refusals.map(({ path, why }) => `  ${shown(path)}: ${REFUSAL_WORDS[why]}`),
  ];
  return [
    ...risky,
    ...(all.length === 0 ? [] : ['left:', ...bounded(all)]),
    ...(isFull ? ['no room is left in the project: make some, and commit again'] : []),
    ...(plan.isPartial ? ['there are more changes than were looked at: commit again'] : []),
  ];
}

function bounded(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MOST_LINES), `  and ${more} more: \`--json\` has all`];
}

function committedJson(
  about: LayerAbout,
  { plan, asked, applied: { done, conflicts, isFull } }: Done,
): object {
  return {
    layer: about.place.id,
    folder: about.project,
    committed: done.map((path) => shown(path)),
    asks: asked.map((ask) => ({
      path: shown(ask.path),
      risks: ask.risks,
      pattern: ask.pattern ?? null,
      reasons: reasonsOf(ask),
    })),
    conflicts: conflicts.map(({ path, why }) => ({ path: shown(path), why })),
    refused: plan.refusals.map(({ path, why }) => ({ path: shown(path), why })),
    full: isFull,
    truncated: plan.isPartial,
  };
}
