import type { ListedRun } from '../../../src/protocol/index.js';
import { countText, spanText, type Clock } from '../../parts/figures.js';
import { gridCell } from '../../parts/grid-cell.js';
import type { PoolRow } from '../../parts/list.js';
import { plainText } from '../../parts/plain-text.js';
import { shortRun } from '../../parts/names.js';
import type { Palette } from '../../theme/palette.js';
import { netRefused } from './columns.js';
import { sparkOf } from './spark.js';

const CELLS = [
  ['agent', ''],
  ['folder', 'data quiet'],
  ['state', ''],
  ['client', 'quiet'],
  ['when', 'data quiet'],
  ['took', 'data quiet right'],
  ['calls', 'data right'],
  ['refused', 'data right'],
  ['asked', 'data right'],
  ['errors', 'data right'],
  ['net', 'data right'],
  ['unusual', 'data right'],
] as const;
const LABELS: Readonly<Record<string, string>> = {
  calls: 'calls',
  refused: 'refused',
  asked: 'asked',
  errors: 'errors',
  net: 'net ref.',
  unusual: 'unusual',
};
/** The same for whoever hears a number. */
const SPOKEN: Readonly<Record<string, string>> = { ...LABELS, net: 'connections or names refused' };

type CellName = (typeof CELLS)[number][0];

/** Makes rows of the list of runs. */
export function makeRunRow(
  clock: () => Clock,
  now: () => number,
  palette: () => Palette,
): () => PoolRow<ListedRun> {
  return () => {
    const element = document.createElement('div');
    const made = CELLS.map(([name, look]) => {
      const cell = gridCell(`r-${name} ${look}`);
      const label = LABELS[name];
      if (label !== undefined) cell.dataset['phone'] = label;
      element.append(cell);
      return [name, cell] as const;
    });
    const cells = Object.fromEntries(made) as Record<CellName, HTMLElement>;
    const spark = sparkOf(now, palette);
    cells.took.after(spark.element);
    const count = (name: CellName, value: number): void => {
      const cell = cells[name];
      cell.textContent = countText(value);
      cell.dataset['none'] = String(value === 0);
      // The words above are buttons that sort: no cell is heard with them.
      cell.ariaLabel = `${countText(value)} ${SPOKEN[name] ?? ''}`;
    };
    return {
      element,
      paint(run) {
        cells.agent.textContent = `${plainText(run.agent, 60) || 'agent without a name'} · ${shortRun(run.run)}`;
        cells.folder.textContent = run.folder === null ? '' : plainText(run.folder, 200);
        cells.state.textContent = run.state === 'live' ? '● live' : plainText(run.state.toLowerCase(), 30);
        cells.client.textContent = plainText(run.client, 60);
        const { began, ended } = run;
        const today = clock().day(began) === clock().day(now());
        cells.when.textContent = today ? clock().time(began) : clock().day(began);
        cells.took.textContent = spanText((ended ?? now()) - began);
        spark.paint(run);
        count('calls', run.calls);
        count('refused', run.refused);
        count('asked', run.asked);
        count('errors', run.errors);
        count('net', netRefused(run));
        count('unusual', run.unusual);
      },
    };
  };
}
