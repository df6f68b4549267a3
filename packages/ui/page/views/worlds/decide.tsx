import type { JSX } from 'preact';
import type { Act, LayerChange, LayerDone, World } from '../../../src/protocol/index.js';
import { CopyButton } from '../../parts/command.js';
import { plural } from '../../parts/figures.js';
import { pathText, plainText } from '../../parts/plain-text.js';
import { useAct } from '../../parts/use-act.js';
import type { Page } from '../../state/page.js';
import type { Choice } from './choice.js';
import { commandOf } from './commands.js';
import type { Ended } from './ended.js';

/** Names of files in a question. */
const MOST_NAMED = 8;

type LayerAct = Extract<Act, { readonly act: 'layer-commit' | 'layer-discard' }>;

/** Takes the chosen files over, or throws them away: each asks first, and names its effect. */
export function Decide({
  page,
  world,
  isLooking,
  take,
  discard,
  changed,
  done,
}: {
  readonly page: Page;
  readonly world: World;
  readonly isLooking: boolean;
  readonly take: Choice;
  readonly discard: Choice;
  /** It is another layer by now. */
  readonly changed: () => void;
  readonly done: (ended: Ended) => void;
}): JSX.Element {
  const { ask, isBusy, lock, problem } = useAct(page);
  const { layer, shown, folder } = world;
  const [takes, discards] = [
    `Take over ${plural(take.count, 'file')}`,
    `Throw away ${plural(discard.count, 'file')}`,
  ];
  const answer = (act: LayerAct, button: string): void =>
    ask<LayerDone>(
      act,
      button,
      ({ data: end }) => {
        const says = `${plural(end.done, 'file')} ${act.act === 'layer-commit' ? 'taken over' : 'thrown away'}`;
        done({ act: act.act, says, done: end });
      },
      (code) => {
        if (code === 'changed') changed();
      },
    );
  const sure = (button: string, says: string, act: LayerAct): void => {
    page.dialog.value = { kind: 'sure', title: `${button}?`, says, does: () => answer(act, button) };
  };
  const commands = (
    <>
      <Copied page={page} text={commandOf('commit', world, take)} />
      <Copied page={page} text={commandOf('discard', world, discard)} />
    </>
  );
  if (page.state.value?.access === 'read') return <div class="actions decide">{commands}</div>;
  if (lock !== null) return <div class="decide">{lock}</div>;
  const into = plainText(folder, 200);
  return (
    <div class="decide">
      {problem}
      <div class="actions">
        <button
          type="button"
          class="main"
          disabled={isBusy || isLooking || take.count === 0}
          onClick={() =>
            sure(takes, takeText(take, into), {
              act: 'layer-commit',
              layer,
              paths: take.paths,
              risky: take.risky.length > 0,
              overwrite: take.overwritten.length > 0,
              shown: take.overwritten.length > 0 ? world.overwrite : shown,
            })
          }
        >
          {isBusy ? 'At work' : takes}
        </button>
        <button
          type="button"
          disabled={isBusy || isLooking || discard.count === 0}
          onClick={() =>
            sure(discards, discardText(discard, world), {
              act: 'layer-discard',
              layer,
              paths: discard.paths,
              shown,
            })
          }
        >
          {discards}
        </button>
        {commands}
      </div>
    </div>
  );
}

function Copied({ page, text }: { readonly page: Page; readonly text: string | null }): JSX.Element | null {
  return text === null ? null : <CopyButton text={page.command(text)} copy={page.copy} />;
}

function takeText({ count, risky, overwritten }: Choice, into: string): string {
  const plain = `${plural(count, 'file')} of ${into} will be as the world has ${count === 1 ? 'it' : 'them'}, at once.`;
  const lost =
    overwritten.length === 0
      ? ''
      : ` What the project has now of ${overwritten.length === 1 ? 'one' : overwritten.length} is lost: ${namesOf(overwritten, () => '')}.`;
  if (risky.length === 0) return `${plain}${lost} What is asked about stays in the layer.`;
  const why = ({ reasons }: LayerChange): string =>
    ` (${reasons.map((reason) => plainText(reason, 100)).join('; ')})`;
  return `${plain}${lost} Other programs run or obey ${risky.length} of them: ${namesOf(risky, why)}.`;
}

function namesOf(changes: readonly LayerChange[], more: (change: LayerChange) => string): string {
  const named = changes.slice(0, MOST_NAMED).map((change) => `${pathText(change.path, 120)}${more(change)}`);
  const rest = changes.length - named.length;
  return `${named.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
}

function discardText({ count, paths }: Choice, { in_world: runs }: World): string {
  const gone = `${plural(count, 'file')} of the layer will be gone, and ${count === 1 ? 'is' : 'are'} nowhere else. The project stays as it is.`;
  if (!runs) return gone;
  return `${gone} ${paths === null ? 'The' : 'Also then the'} world that has the layer ends, with all that runs in it.`;
}
