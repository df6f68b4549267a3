import { isSublError } from '@subluminal/core-types';
import {
  type Change,
  isChosen,
  type Layer,
  type LayerAbout,
  patchesOf,
  planCommit,
  shown,
  toldOf,
  withLayer,
} from '@subluminal/layers';
import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { signsOf } from '../../record/files-text.js';
import { askedByLayer, askedByPolicy } from '../../world/layer/asked-by.js';
import { changeLines, remarksOf } from '../../world/layer/change-lines.js';
import { recoveryOf } from '../../world/layer/decision.js';
import { chosenLayer, fitting, folderOf, LAYER_FLAG, pathsIn } from '../../world/layer/chosen-layer.js';

const FLAGS = {
  ...LAYER_FLAG,
  stat: flag('the sums alone'),
  patch: flag('with the lines that differ'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub world diff [PATH…]`: the changes of a layer, with those that a commit would ask about or leave. */
export function defineDiff(group: Command, does: Does): void {
  does(
    subVerb(group, 'diff', 'show what worlds have changed, and what is not in the project yet').argument(
      '[paths...]',
      'files and folders of the project (default: all)',
    ),
    FLAGS,
    async (call) => {
      const about = await chosenLayer(call, 'diff');
      if (about === undefined) return nothing(call);
      await withLayer(about, recoveryOf(call, about), (layer) => shownDiff(call, about, layer));
      return EXIT.done;
    },
  );
}

function nothing(call: Given): number {
  if (call.output.json)
    call.output.value({ layer: null, folder: folderOf(call), changes: [], truncated: false });
  else call.output.line('nothing differs');
  return EXIT.done;
}

async function shownDiff(call: Given, about: LayerAbout, layer: Layer): Promise<void> {
  const { output, flags } = call;
  const paths = new Set(fitting(pathsIn(about, call.args, call.session.cwd), layer.diff, layer));
  const { diff, project, upper } = layer;
  const changes = diff.changes.filter(({ path, how }) => how !== 'touched' && isChosen(path, paths));
  const told = toldOf({ ...diff, changes });
  const askedBy = await askedByPolicy(call, about).catch((error: unknown) => {
    // Nothing is decided here: without the gateway its policy says nothing.
    if (isSublError(error)) return askedByLayer(about);
    throw error;
  });
  const plan = await planCommit({
    diff,
    project,
    upper,
    paths: [...paths],
    isOverwriting: false,
    agreed: [],
    askedBy,
  });
  if (output.json) {
    const remarks = remarksOf(plan);
    output.value({
      layer: about.place.id,
      folder: about.project,
      changes: changes.map((change) => changeJson(change, remarks.get(change.path))),
      truncated: diff.isTruncated,
    });
    return;
  }
  if (told === undefined) {
    output.line('nothing differs');
    return;
  }
  if (flags.patch) for (const patch of patchesOf(changes, layer)) output.lines(patch);
  else if (!flags.stat) output.lines(changeLines(changes, remarksOf(plan)));
  output.note(`${signsOf(told)} in layer ${about.place.id} over \`${escapeText(about.project)}\``);
}

function changeJson({ path, how, before, after }: Change, remark: string | undefined): object {
  return {
    path: shown(path),
    how,
    kind: (after ?? before)?.kind ?? null,
    size: after?.size ?? null,
    remark: remark ?? null,
  };
}
