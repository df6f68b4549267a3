import type { Row } from '../../../src/protocol/index.js';
import type { PoolRow } from '../../parts/list.js';
import { sizeText, spanText, type Clock } from '../../parts/figures.js';
import { gridCell } from '../../parts/grid-cell.js';
import { nameOf, shortRun } from '../../parts/names.js';
import { plainText } from '../../parts/plain-text.js';
import { markElement, rowMark } from '../../parts/mark.js';

const CELLS = [
  ['time', 'data quiet'],
  ['run', 'data quiet'],
  ['agent', 'quiet'],
  ['mark', ''],
  ['tool', 'data'],
  ['object', 'data'],
  ['took', 'data quiet right'],
  ['size', 'data quiet right'],
  ['rule', 'data quiet'],
  ['why', ''],
] as const;
type CellName = (typeof CELLS)[number][0];

/** Its columns: the look of each, and the word above it. */
export const COLUMNS = CELLS.map(
  ([name, look]) =>
    [`c-${name}${look.endsWith('right') ? ' right' : ''}`, name === 'mark' ? 'outcome' : name] as const,
);

/** Makes rows of the live list. Nothing of a row is set but texts and attributes of our own words. */
export function makeLiveRow(
  clock: () => Clock,
  agentOf: (run: string) => string,
  marked: () => number | null,
): () => PoolRow<Row> {
  return () => {
    const element = document.createElement('div');
    const made = CELLS.map(([name, look]) => [name, gridCell(`c-${name} ${look}`)] as const);
    const cells = Object.fromEntries(made) as Record<CellName, HTMLElement>;
    element.append(...Object.values(cells));
    const mark = markElement();
    cells.mark.append(mark.element);
    return {
      element,
      paint(row) {
        const shown = rowMark(row);
        element.dataset['meaning'] = shown.meaning;
        mark.paint(shown);
        element.toggleAttribute('data-marked', row.seq === marked());
        cells.time.textContent = clock().time(row.ts);
        cells.run.textContent = row.run === null ? whoText(row.who) : shortRun(row.run);
        cells.agent.textContent = row.run === null ? 'gateway' : plainText(agentOf(row.run), 40);
        cells.tool.textContent = nameOf(row);
        cells.object.textContent = row.object === null ? '' : plainText(row.object);
        cells.took.textContent = row.ms === null || (row.refused && row.ms === 0) ? '' : spanText(row.ms);
        cells.size.textContent =
          row.bytes === null || (row.refused && row.bytes === 0) ? '' : sizeText(row.bytes);
        cells.rule.textContent = row.rule === null ? '' : plainText(row.rule, 80);
        const why = whyText(row);
        cells.why.textContent = why;
        element.toggleAttribute('data-why', why !== '');
        element.toggleAttribute('data-own', shown.meaning === 'allow' && isOwn(row));
      },
    };
  };
}

/** A page that a person opens leaves rows, too: those of agents stand out beside them. A run's is none. */
function isOwn({ run, action }: Row): boolean {
  return run === null && /^ui\.(?:listen|session)$/.test(action ?? '');
}

/** Sessions of pages are told apart by the end of their number, as runs are. */
function whoText(who: string | null): string {
  if (who === null) return '';
  return who.startsWith('ui:') ? `page ${shortRun(who)}` : plainText(who, 40);
}

/** How a record ends that tells why, though nobody refused it. */
const TOLD: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT', 'error', 'stopped']);

/** Why, in the rule's own words; of what passed only what is unusual. */
function whyText(row: Row): string {
  const flags =
    row.flags.length === 0 ? '' : `unusual: ${row.flags.map((flag) => plainText(flag, 40)).join(', ')}`;
  const why = row.why === null ? '' : plainText(row.why);
  if (!row.refused && !TOLD.has(row.status ?? '')) return flags;
  return [why, flags].filter((text) => text !== '').join(' · ');
}
