import type { TimelineItem } from '../../../src/protocol/index.js';
import { spanText, type Clock } from '../../parts/figures.js';
import { gridCell } from '../../parts/grid-cell.js';
import type { PoolRow } from '../../parts/list.js';
import { markElement, rowMark } from '../../parts/mark.js';
import { plainText } from '../../parts/plain-text.js';

/** Names of the kinds of happenings, where there is no decision. */
const KINDS: Readonly<Record<TimelineItem['kind'], string>> = {
  call: 'call',
  net: 'net',
  hook: 'hook',
  plane: 'work',
  world: 'command',
  file: 'file',
  policy: 'policy',
  answer: 'answer',
  run: 'run',
};

/** Makes rows of the list that says the same as the lanes. */
export function makeItemRow(clock: () => Clock): () => PoolRow<TimelineItem> {
  return () => {
    const element = document.createElement('div');
    const cell = (look: string): HTMLElement => {
      const made = gridCell(look);
      element.append(made);
      return made;
    };
    const time = cell('c-time data quiet');
    const lane = cell('c-lane quiet');
    const marked = cell('c-mark');
    const label = cell('c-tool data');
    const joined = cell('c-object quiet');
    const took = cell('c-took data right quiet');
    const mark = markElement();
    marked.append(mark.element);
    return {
      element,
      paint(item) {
        const isPlain = item.decision === null && item.status === null && !item.refused;
        const shown = isPlain
          ? ({ meaning: 'plain', glyph: '\u00a0', word: KINDS[item.kind] } as const)
          : rowMark(item);
        element.dataset['meaning'] = shown.meaning;
        mark.paint(shown);
        time.textContent = clock().time(item.from);
        lane.textContent = plainText(item.lane, 60);
        label.textContent = plainText(item.label);
        joined.textContent = joinText(item.parent);
        took.textContent = tookText(item);
      },
    };
  };
}

/** As everywhere else the time of the deed itself, without that of its decision and of its way. */
export function tookText({ from, ms, to }: TimelineItem): string {
  if (to === null) return 'goes on';
  const long = ms ?? to - from;
  return long > 0 ? spanText(long) : '';
}

function joinText(parent: TimelineItem['parent']): string {
  if (parent === null) return '';
  return parent.by === 'id' ? `of entry ${parent.seq}` : `of entry ${parent.seq}, by time`;
}
