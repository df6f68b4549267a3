import { canonicalize, type FsDiff, isSublError, SublError } from '@subluminal/core-types';
import {
  assertNoWorld,
  type BytePath,
  diffOf,
  discardLayer,
  isChosen,
  type Layer,
  type LayerAbout,
  letGo,
  mayBeAside,
  type SetAside,
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
import { signsOf } from '@subluminal/records';
import { countOf } from '../../record/files-text.js';
import {
  assertNoneNamed,
  chosenLayer,
  fitting,
  folderOf,
  LAYER_FLAG,
  type NamedPath,
  pathsIn,
} from '../../world/layer/chosen-layer.js';
import { ASKED_FLAG, decided, recoveryOf } from '../../world/layer/decision.js';
import { askedNow, EXPECT_FLAG, expected } from '../../world/layer/look/look.js';
import { claimed } from '../../world/layer/take.js';
import { closeSession, type OpenSession } from '../../world/session/close.js';
import { sessionOfLayer } from '../../world/session/place.js';

const FLAGS = { ...LAYER_FLAG, ...EXPECT_FLAG, ...ASKED_FLAG, yes: YES };

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
      const chosen = await chosenLayer(call, 'discard');
      if (chosen === undefined) return nothing(call);
      const session = sessionOf(call, chosen);
      // No world ends for what is another layer by now.
      if (session !== undefined && call.flags.expect !== undefined)
        await withLayer(chosen, recoveryOf(call, chosen), (layer) => asExpected(call, chosen, layer));
      const asked = session === undefined ? undefined : await agreedTo(call, chosen);
      if (session !== undefined) {
        if (asked === undefined) return EXIT.failed;
        await closeSession(session);
      }
      // With nothing in it, it went with its world.
      const about = await claimed(call.home, chosen, call.session.now());
      assertNoWorld(about);
      const named = pathsIn(about, call.args, call.session.cwd, call.flags);
      return named.length === 0
        ? whole(call, about, asked)
        : withLayer(about, recoveryOf(call, about), (layer) => some(call, { about, layer, named, asked }));
    },
  );
}

function nothing(call: Given): number {
  assertNoneNamed(call);
  const said = { discarded: 0, left: [], entry: null, set_aside: [] };
  if (call.output.json) call.output.value({ layer: null, folder: folderOf(call), ...said });
  else call.output.line('nothing differs');
  return EXIT.done;
}

/** The world that has the layer and waits for commands; undefined: none. Throws `usage` for another world. */
function sessionOf(call: Given, { place, world }: LayerAbout): OpenSession | undefined {
  if (world === undefined) return undefined;
  const session = sessionOfLayer(call.home, place.id);
  if (session !== undefined) return session;
  throw new SublError('usage', `process ${world.pid} has the layer \`${place.id}\` in a world`, {
    help: 'wait until its run has ended',
  });
}

/** The changes to whose loss somebody has said yes; undefined there: none. */
interface Asked {
  readonly told: FsDiff | undefined;
}

/** A yes to the end of the world of the layer, and to the loss of what is chosen; undefined: it was a no. */
async function agreedTo(call: Given, about: LayerAbout): Promise<Asked | undefined> {
  const places = new Set(pathsIn(about, call.args, call.session.cwd, call.flags).map(({ path }) => path));
  const told = await diffOf(about).then(
    ({ changes, isTruncated }) =>
      toldOf({ changes: changes.filter(({ path }) => isChosen(path, places)), isTruncated }),
    () => UNSEEN,
  );
  const end = 'end the world of this folder, and all that runs there';
  if (await agrees(call, told === undefined ? `${end}?` : `${throwing(about, told)}, and ${end}?`))
    return { told };
  call.output.note('nothing was changed');
  return undefined;
}

async function whole(call: Given, about: LayerAbout, asked: Asked | undefined): Promise<number> {
  // Of a commit that was cut off in a project that is gone now; else it is brought to its end first.
  let aside: readonly SetAside[] = [];
  const look = withLayer(about, recoveryOf(call, about), async (layer) => {
    await asExpected(call, about, layer);
    return toldOf(layer.diff);
  });
  const told = await look.catch((error: unknown) => {
    // Another commit that goes on needs the layer; a project that is gone does not.
    if (call.flags.expect !== undefined || (isSublError(error) && error.code === 'usage')) throw error;
    aside = mayBeAside(about.place.journal);
    return UNSEEN;
  });
  if (!(await mayGo(call, about, { told, asked }))) return EXIT.failed;
  const throwAway = (): Promise<void> => discardLayer(about.place);
  if (told === undefined) {
    await throwAway();
    return done(call, about, { told, stays: [], entry: undefined, isTold: true });
  }
  const facts = { fs_diff: told };
  const { entry, isTold } = await decided(call, about, { action: 'layer.discard', facts }, async () => {
    await throwAway();
    return { value: undefined, end: { done: countOf(told), left: [], exit: EXIT.done } };
  });
  return done(call, about, { told, stays: [], entry, isTold, aside });
}

async function asExpected(call: Given, about: LayerAbout, layer: Layer): Promise<void> {
  if (call.flags.expect !== undefined) await expected(call, layer, await askedNow(call, about));
}

interface Some {
  readonly about: LayerAbout;
  readonly layer: Layer;
  readonly named: readonly NamedPath[];
  readonly asked: Asked | undefined;
}

async function some(call: Given, { about, layer, named, asked }: Some): Promise<number> {
  await asExpected(call, about, layer);
  const places = new Set(fitting(named, layer.diff, layer));
  const changes = layer.diff.changes.filter(({ path }) => isChosen(path, places));
  const told = toldOf({ changes, isTruncated: layer.diff.isTruncated });
  if (!(await mayGo(call, about, { told, asked }))) return EXIT.failed;
  const throwAway = (): Promise<readonly BytePath[]> =>
    letGo(about, layer, new Set(changes.map(({ path }) => path)));
  if (told === undefined)
    return done(call, about, { told, stays: await throwAway(), entry: undefined, isTold: true });
  const facts = { fs_diff: told, partial: true as const };
  const { value, entry, isTold } = await decided(
    call,
    about,
    { action: 'layer.discard', facts },
    async () => {
      const stays = await throwAway();
      const left = stays.length === 0 ? [] : [{ why: 'hidden', count: stays.length }];
      const exit = stays.length === 0 ? EXIT.done : EXIT.failed;
      const kept = new Set(stays);
      const gone = toldOf({ changes: changes.filter(({ path }) => !kept.has(path)), isTruncated: false });
      return { value: stays, end: { done: countOf(gone), left, exit } };
    },
  );
  return done(call, about, { told, stays: value, entry, isTold });
}

interface Loss extends Asked {
  /** The answer of before, if there was a question. */
  readonly asked: Asked | undefined;
}

async function mayGo(call: Given, about: LayerAbout, { told, asked }: Loss): Promise<boolean> {
  if (told === undefined) return true;
  const isSame = asked?.told !== undefined && canonicalize(asked.told) === canonicalize(told);
  if (asked !== undefined && !isSame && !call.flags.yes) {
    call.output.note(
      'the world wrote more until it ended: nothing was thrown away; `sub world diff` shows it',
    );
    return false;
  }
  if (asked !== undefined || (await agrees(call, `${throwing(about, told)}?`))) return true;
  call.output.note('nothing was changed');
  return false;
}

function throwing({ project }: LayerAbout, told: FsDiff): string {
  return `throw away ${signsOf(told)} of \`${escapeText(project)}\``;
}

interface Discarded {
  readonly told: FsDiff | undefined;
  readonly stays: readonly BytePath[];
  /** The entry that began it; undefined: there was nothing to be told. */
  readonly entry: number | undefined;
  readonly isTold: boolean;
  /** Names in the project under which files may stand that a commit had set aside. */
  readonly aside?: readonly SetAside[];
}

function done({ output }: Given, { place, project }: LayerAbout, discarded: Discarded): number {
  const { told, stays, entry, isTold, aside = [] } = discarded;
  const left = stays.map((path) => shown(path));
  if (output.json)
    output.value({
      layer: place.id,
      folder: project,
      discarded: countOf(told),
      left,
      entry: entry ?? null,
      set_aside: aside.map(({ path, at }) => ({ path: shown(path), at: shown(at) })),
    });
  else {
    const as = entry === undefined ? '' : `, recorded as entry ${entry}`;
    output.note(`sub: ${told === undefined ? 'nothing' : signsOf(told)} thrown away${as}`);
    output.lines(
      left.map((path) => `  ${path} stays: the world has made a folder above it anew; discard that one`),
    );
    if (aside.length > 0)
      output.note(
        `a commit into \`${escapeText(project)}\` was cut off: in the folder that was there may be`,
      );
    output.lines(aside.map(({ path, at }) => `  ${shown(at)}, which was ${shown(path)}`));
  }
  return left.length === 0 && isTold ? EXIT.done : EXIT.failed;
}
