import { shellWord } from '@subluminal/core-types/portable';
import type { JSX } from 'preact';
import type { LayerChange } from '../../../src/protocol/index.js';
import { CopyButton } from '../../parts/command.js';
import { pathText, plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';

/** Whether the layer's one takes the place of the project's own; `set` is null where nobody may choose. */
export interface Overwriting {
  readonly isOn: boolean;
  readonly set: ((isOn: boolean) => void) | null;
}

/** The choice stands below the lines of both: who makes it has them before their eyes, or uses a terminal. */
export function Overwrite({
  page,
  layer,
  change: { path, reasons },
  isWhole,
  isOn,
  set,
}: Overwriting & {
  readonly page: Page;
  readonly layer: string;
  readonly change: LayerChange;
  readonly isWhole: boolean;
}): JSX.Element {
  if (!isWhole && !isOn)
    return (
      <p class="remark">
        <span class="quiet">It can be overwritten here once all lines are shown; in a terminal: </span>
        <CopyButton
          text={page.command(
            `sub world commit --layer ${layer} --overwrite --as-shown -- ${shellWord(path)}`,
          )}
          copy={page.copy}
        />
      </p>
    );
  return (
    <label class="remark">
      <input type="checkbox" checked={isOn} onChange={(event) => set?.(event.currentTarget.checked)} />{' '}
      Overwrite {pathText(path, 200)}: the project loses its lines (-), and gets the layer's (+)
      {reasons.length === 0 ? '' : `; ${reasons.map((reason) => plainText(reason, 300)).join('; ')}`}
    </label>
  );
}
