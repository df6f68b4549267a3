import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { TimelineItem } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import type { Page } from '../../state/page.js';
import { plainText } from '../../parts/plain-text.js';
import { paletteOf } from '../../theme/palette.js';
import { axisOf } from './axis.js';
import { tookText } from './row.js';
import {
  drawLanes,
  itemAt,
  laneBox,
  lanesHeight,
  lanesOf,
  MAP_PX,
  type LanesDrawn,
  type Window,
} from './lanes.js';

const SMALLEST_SHARE = 1 / 5000;

/**
 * The lanes of a run. Hidden from screen readers: the list below says the same. The map on top moves the
 * window, a press on a lane picks what is there.
 */
export function LanesView({
  page,
  items,
  selected,
  pick,
}: {
  readonly page: Page;
  readonly items: readonly TimelineItem[];
  readonly selected: number | null;
  readonly pick: (item: TimelineItem) => void;
}): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [collapse, setCollapse] = useState(true);
  const [zoom, setZoom] = useState<Window | null>(null);
  const [marks, setMarks] = useState<readonly number[]>([]);
  // They are made anew with the items, which a run that goes on has again and again.
  const { now, lanes, axis } = useMemo(() => {
    const made = page.now();
    const spans = items.map(({ from, to }) => ({ from, to: to ?? made }));
    return { now: made, lanes: lanesOf(items), axis: axisOf(spans, collapse) };
  }, [items, collapse]);
  const shown = zoom ?? { from: 0, to: axis.length };
  const drawn = (): LanesDrawn => ({
    items,
    lanes,
    axis,
    window: shown,
    now,
    selected,
    marks,
    palette: paletteOf(document.body),
    clock: page.clock.value,
  });
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const draw = (): void => drawLanes(element, drawn());
    // It tells of the size that is there, too: that is the first drawing.
    const sized = new ResizeObserver(draw);
    sized.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      sized.disconnect();
      dark.removeEventListener('change', draw);
    };
  }, [items, zoom, collapse, selected, marks, page.looks.theme.value, page.clock.value]);

  const change = (by: number, move: number): void => {
    const middle = selected === null ? (shown.from + shown.to) / 2 : placeOfSelected();
    const length = Math.min(
      axis.length,
      Math.max(axis.length * SMALLEST_SHARE, (shown.to - shown.from) * by),
    );
    const from = (by === 1 ? shown.from : middle - length / 2) + move * length;
    const kept = Math.max(0, Math.min(from, axis.length - length));
    setZoom(length >= axis.length ? null : { from: kept, to: kept + length });
  };
  const placeOfSelected = (): number => {
    const item = items.find(({ seq }) => seq === selected);
    return item === undefined ? (shown.from + shown.to) / 2 : axis.place(item.from);
  };
  useKeys(
    page.keys,
    [
      { keys: ['w'], says: 'closer', isCommon: true, run: () => change(0.6, 0) },
      { keys: ['s'], says: 'farther', isCommon: true, run: () => change(1 / 0.6, 0) },
      { keys: ['a'], says: 'earlier', run: () => change(1, -0.25) },
      { keys: ['d'], says: 'later', run: () => change(1, 0.25) },
      { keys: ['0'], says: 'all of it', run: () => setZoom(null) },
      { keys: ['z'], says: 'idle time short or whole', run: () => setCollapse(!collapse) },
      {
        keys: ['m'],
        says: 'mark the time of what is selected',
        run: () => {
          const item = items.find(({ seq }) => seq === selected);
          if (item === undefined) return;
          setMarks(
            marks.includes(item.from) ? marks.filter((mark) => mark !== item.from) : [...marks, item.from],
          );
        },
      },
    ],
    [items, zoom, collapse, selected, marks],
  );
  const toMap = (event: PointerEvent): void => {
    const element = canvas.current;
    if (element === null) return;
    const { left, width } = laneBox(element);
    const at = ((event.clientX - element.getBoundingClientRect().left - left) / width) * axis.length;
    const length = Math.min(shown.to - shown.from, axis.length / 4);
    const from = Math.max(0, Math.min(at - length / 2, axis.length - length));
    setZoom({ from, to: from + length });
  };
  const at = (event: PointerEvent): { readonly y: number; readonly item: TimelineItem | null } => {
    const element = canvas.current;
    if (element === null) return { y: 0, item: null };
    const { left, top } = element.getBoundingClientRect();
    const y = event.clientY - top;
    return { y, item: y < MAP_PX ? null : itemAt(element, drawn(), event.clientX - left, y) };
  };
  return (
    <div
      class="lanes"
      onPointerDown={(event) => {
        const { item, y } = at(event);
        if (y < MAP_PX) {
          event.currentTarget.setPointerCapture(event.pointerId);
          return toMap(event);
        }
        if (item !== null) pick(item);
        return undefined;
      }}
      onPointerMove={(event) => {
        const { item, y } = at(event);
        if (event.buttons === 1 && y < MAP_PX) toMap(event);
        event.currentTarget.title = item === null ? '' : `${plainText(item.label)} ${tookText(item)}`;
      }}
      onWheel={(event) => {
        if (!event.ctrlKey && !event.shiftKey) return;
        event.preventDefault();
        if (event.ctrlKey) change(event.deltaY > 0 ? 1 / 0.8 : 0.8, 0);
        else change(1, Math.sign(event.deltaY + event.deltaX) * 0.1);
      }}
    >
      <canvas
        ref={canvas}
        aria-hidden="true"
        style={{ height: `${lanesHeight(Math.max(1, lanes.length))}px` }}
      />
    </div>
  );
}
