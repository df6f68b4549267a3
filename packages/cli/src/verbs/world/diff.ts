import { SublError } from '@subluminal/core-types';
import {
  isChosen,
  type Layer,
  type LayerAbout,
  patchesOf,
  planCommit,
  toldOf,
  withLayer,
} from '@subluminal/layers';
import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, unless, type Values, whole } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { signsOf } from '@subluminal/records';
import { changeLines, remarksOf } from '../../world/layer/change-lines.js';
import { recoveryOf } from '../../world/layer/decision.js';
import { chosenLayer, fitting, folderOf, LAYER_FLAG, pathsIn } from '../../world/layer/chosen-layer.js';
import { diffJson } from '../../world/layer/look/diff-json.js';
import { askedNow, EXPECT_FLAG, expected } from '../../world/layer/look/look.js';

const FLAGS = {
  ...LAYER_FLAG,
  ...EXPECT_FLAG,
  stat: flag('the sums alone'),
  patch: flag('with the lines that differ'),
  most: whole('<n>', 'with `--json`: so many changes, those that are asked about or left first', 1),
  recover: unless('a commit that was cut off stays so, and an error tells it'),
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
      const recovering = call.flags.recover ? recoveryOf(call, about) : noRecovery;
      await withLayer(about, recovering, (layer) => shownDiff(call, about, layer));
      return EXIT.done;
    },
  );
}

function noRecovery(): Promise<never> {
  throw new SublError('failed', 'a commit or discard of this layer was cut off', {
    help: '`sub world diff` brings it to its end',
  });
}

function nothing(call: Given): number {
  if (call.output.json)
    call.output.value({
      layer: null,
      folder: folderOf(call),
      digest: null,
      changes: [],
      more: 0,
      truncated: false,
    });
  else call.output.line('nothing differs');
  return EXIT.done;
}

async function shownDiff(call: Given, about: LayerAbout, layer: Layer): Promise<void> {
  const { output, flags } = call;
  const paths = new Set(fitting(pathsIn(about, call.args, call.session.cwd, flags), layer.diff, layer));
  const { diff, project, upper } = layer;
  const changes = diff.changes.filter(({ path, how }) => how !== 'touched' && isChosen(path, paths));
  const told = toldOf({ ...diff, changes });
  const askedBy = await askedNow(call, about);
  // Lines are of what was shown before, or of nothing.
  const before = await expected(call, layer, askedBy);
  if (output.json) {
    output.value(await diffJson(layer, about, { paths, askedBy, before, ...flags }));
    return;
  }
  const plan = await planCommit({
    diff,
    project,
    upper,
    paths: [...paths],
    isOverwriting: false,
    agreed: [],
    askedBy,
  });
  if (told === undefined) {
    output.line('nothing differs');
    return;
  }
  if (flags.patch) for (const patch of patchesOf(changes, layer)) output.lines(patch);
  else if (!flags.stat) output.lines(changeLines(changes, remarksOf(plan)));
  output.note(`${signsOf(told)} in layer ${about.place.id} over \`${escapeText(about.project)}\``);
}
