import { type FsDiff, isSublError, SublError } from '@subluminal/core-types';
import {
  type BytePath,
  discardLayer,
  isChosen,
  type Layer,
  type LayerAbout,
  letGo,
  shown,
  toldOf,
  UNSEEN,
  withLayer,
} from '@subluminal/layers';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { agrees, assertAskable, YES } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import type { Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { signsOf } from '../../record/files-text.js';
import { chosenLayer, LAYER_FLAG, pathsIn } from '../../world/layer/chosen-layer.js';
import { claimed } from '../../world/layer/take.js';

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
      await claimed(call.home, about, call.session.now());
      const named = pathsIn(about, call.args, call.session.cwd);
      return named.length === 0
        ? whole(call, about)
        : withLayer(about, (layer) => some(call, { about, layer, named }));
    },
  );
}

async function whole(call: Given, about: LayerAbout): Promise<number> {
  const told = await withLayer(about, ({ diff }) => Promise.resolve(toldOf(diff))).catch((error: unknown) => {
    // Another commit that goes on needs the layer; a project that is gone does not.
    if (isSublError(error) && error.code === 'usage') throw error;
    return UNSEEN;
  });
  if (!(await mayGo(call, about, told))) return EXIT.failed;
  await discardLayer(about.place);
  return done(call, about, { told, stays: [] });
}

interface Some {
  readonly about: LayerAbout;
  readonly layer: Layer;
  readonly named: readonly BytePath[];
}

async function some(call: Given, { about, layer, named }: Some): Promise<number> {
  const places = new Set(named);
  const changes = layer.diff.changes.filter(({ path }) => isChosen(path, places));
  const told = toldOf({ changes, isTruncated: layer.diff.isTruncated });
  if (!(await mayGo(call, about, told))) return EXIT.failed;
  const stays = await letGo(about, layer, new Set(changes.map(({ path }) => path)));
  return done(call, about, { told, stays });
}

async function mayGo(call: Given, { project }: LayerAbout, told: FsDiff | undefined): Promise<boolean> {
  if (told === undefined) return true;
  const isYes = await agrees(call, `throw away ${signsOf(told)} of \`${escapeText(project)}\`?`);
  if (!isYes) call.output.note('nothing was changed');
  return isYes;
}

interface Discarded {
  readonly told: FsDiff | undefined;
  readonly stays: readonly BytePath[];
}

function done({ output }: Given, { place, project }: LayerAbout, { told, stays }: Discarded): number {
  const left = stays.map((path) => shown(path));
  const discarded = told === undefined ? 0 : told.added + told.modified + told.deleted;
  if (output.json) output.value({ layer: place.id, folder: project, discarded, left });
  else {
    output.note(`sub: ${told === undefined ? 'nothing' : signsOf(told)} thrown away`);
    output.lines(left.map((path) => `  ${path} stays: a folder above it hides it`));
  }
  return left.length === 0 ? EXIT.done : EXIT.failed;
}
