import { SublError } from '@subluminal/core-types';
import {
  type BytePath,
  diffTold,
  discardLayer,
  isChosen,
  Layer,
  type LayerAbout,
  purge,
  recoverCommit,
  shown,
  stepsOf,
} from '@subluminal/layers';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { agrees, assertAskable, YES } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import type { Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { chosenLayer, claimed, LAYER_FLAG, pathsIn } from '../../world/layer/chosen-layer.js';
import { signsOf } from '../../world/layer/remark.js';

const FLAGS = { ...LAYER_FLAG, yes: YES };

type Given = Call<Values<typeof FLAGS>>;

/** `sub world discard [PATH…]`: throws changes of a layer away. */
export function defineDiscard(group: Command, does: Does): void {
  does(
    subVerb(group, 'discard', 'throw away what worlds have changed, and what is not in the project').argument(
      '[paths...]',
      'files and folders of the project (default: all)',
    ),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      assertAskable(call);
      const about = chosenLayer(call);
      if (about.holder !== undefined)
        throw new SublError('failed', `the layer \`${about.place.id}\` is in a world that runs`, {
          help: 'end that world first: `sub world close`',
        });
      claimed(about, call.session.now());
      const layer = new Layer(about);
      try {
        return await discarded(call, about, layer);
      } finally {
        layer.close();
      }
    },
  );
}

async function discarded(call: Given, about: LayerAbout, layer: Layer): Promise<number> {
  const { output, session } = call;
  recoverCommit(about.place.journal, layer.project);
  await layer.look();
  const places = new Set(pathsIn(about, call.args, session.cwd));
  const { changes, isTruncated } = layer.diff;
  const chosen = changes.filter(({ path }) => isChosen(path, places));
  const told = diffTold(stepsOf(chosen), isTruncated);
  const what = told === undefined ? 'nothing' : signsOf(told);
  if (
    told !== undefined &&
    !(await agrees(call, `throw away ${what} of \`${escapeText(about.project)}\`?`))
  ) {
    output.note('nothing was changed');
    return EXIT.failed;
  }
  const stays =
    places.size === 0 ? await all(about) : await some(about, layer, new Set(chosen.map(({ path }) => path)));
  if (output.json) {
    output.value({
      layer: about.place.id,
      folder: about.project,
      discarded: chosen.length - stays.length,
      left: stays.map(shown),
    });
  } else {
    output.note(`sub: ${what} thrown away`);
    output.lines(stays.map((path) => `  ${shown(path)} stays: a folder above it hides it`));
  }
  return stays.length === 0 ? EXIT.done : EXIT.failed;
}

async function all({ place }: LayerAbout): Promise<readonly BytePath[]> {
  await discardLayer(place);
  return [];
}

async function some(
  about: LayerAbout,
  layer: Layer,
  paths: ReadonlySet<BytePath>,
): Promise<readonly BytePath[]> {
  const stays = await purge({ upper: layer.upper, changes: layer.diff.changes, paths });
  layer.bases.forget([...paths]);
  await layer.look();
  const { changes, isTruncated } = layer.diff;
  if (diffTold(stepsOf(changes), isTruncated) === undefined) await discardLayer(about.place);
  return stays;
}
