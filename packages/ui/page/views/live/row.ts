import type { Row } from '../../../src/protocol/index.js';
import type { PoolRow } from '../../parts/list.js';
import { sizeText, spanText, type Clock } from '../../parts/figures.js';
import { nameOf, shortRun } from '../../parts/names.js';
import { plainText } from '../../parts/plain-text.js';
import { rowMark } from '../../parts/mark.js';

const CELLS = ['time', 'run', 'agent', 'mark', 'tool', 'object', 'took', 'size', 'rule', 'why'] as const;
type CellName = (typeof CELLS)[number];
const DATA: ReadonlySet<CellName> = new Set(['time', 'run', 'tool', 'object', 'took', 'size', 'rule']);
const RIGHT: ReadonlySet<CellName> = new Set(['took', 'size']);
const QUIET: ReadonlySet<CellName> = new Set(['time', 'run', 'agent', 'took', 'size', 'rule']);

/** Its columns: the look of each, and the word above it. */
export const COLUMNS = CELLS.map(
  (name) => [`c-${name}${RIGHT.has(name) ? ' right' : ''}`, name === 'mark' ? 'outcome' : name] as const,
);

/** Makes rows of the live list. Nothing of a row is set but texts and attributes of our own words. */
export function makeLiveRow(
  clock: () => Clock,
  agentOf: (run: string) => string,
  marked: () => number | null,
): () => PoolRow<Row> {
  return () => {
    const element = document.createElement('div');
    const cells = Object.fromEntries(CELLS.map((name) => [name, cellOf(name)])) as Record<
      CellName,
      HTMLElement
    >;
    for (const name of CELLS) element.append(cells[name]);
    const [glyph, word] = [document.createElement('i'), document.createTextNode('')];
    const mark = document.createElement('span');
    mark.className = 'mark';
    glyph.setAttribute('aria-hidden', 'true');
    mark.append(glyph, word);
    cells.mark.append(mark);
    return {
      element,
      paint(row) {
        const shown = rowMark(row);
        element.dataset['meaning'] = shown.meaning;
        mark.dataset['meaning'] = shown.meaning;
        glyph.textContent = shown.glyph;
        word.data = shown.word;
        if (row.seq === marked()) element.dataset['marked'] = '';
        else delete element.dataset['marked'];
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
      },
    };
  };
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

function cellOf(name: CellName): HTMLElement {
  const cell = document.createElement('span');
  cell.setAttribute('role', 'gridcell');
  cell.className = [
    `c-${name}`,
    ...(DATA.has(name) ? ['data'] : []),
    ...(RIGHT.has(name) ? ['right'] : []),
    ...(QUIET.has(name) ? ['quiet'] : []),
  ].join(' ');
  return cell;
}
