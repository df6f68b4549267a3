import type { TimelineItem } from '../../../src/protocol/index.js';
import { spanText, type Clock } from '../../parts/figures.js';
import { rowMark } from '../../parts/mark.js';
import { plainText } from '../../parts/plain-text.js';
import type { Palette } from '../../theme/palette.js';
import { fitted } from '../../parts/canvas.js';
import type { Axis } from './axis.js';

export const LANE_PX = 22;
export const MAP_PX = 18;
const AXIS_PX = 18;
const NAME_PX = 132;
const TICK_GAP_PX = 12;
/** More spans than these are drawn by columns of pixels: what falls into one is one. */
const MOST_SINGLE = 10_000;
/** Below this the times have milliseconds. */
const FINE_MS = 15_000;

/** The part of the axis that is shown. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Everything that the lanes are drawn from. */
export interface LanesDrawn {
  readonly items: readonly TimelineItem[];
  readonly lanes: readonly string[];
  readonly axis: Axis;
  readonly window: Window;
  /** Now, for what goes on still. */
  readonly now: number;
  readonly selected: number | null;
  readonly marks: readonly number[];
  readonly palette: Palette;
  readonly clock: Clock;
}

/** Height that so many lanes need. */
export function lanesHeight(lanes: number): number {
  return MAP_PX + lanes * LANE_PX + AXIS_PX;
}

/** The lane names in the order in which lanes are drawn. */
export function lanesOf(items: readonly TimelineItem[]): readonly string[] {
  const order = ['run', 'policy', 'answer', 'plane', 'hook', 'call', 'world', 'file', 'net'];
  const kinds = new Map(items.map(({ lane, kind }) => [lane, order.indexOf(kind)]));
  return [...kinds]
    .toSorted((one, other) => one[1] - other[1] || one[0].localeCompare(other[0]))
    .map(([lane]) => lane);
}

/** Where the lanes begin, and how wide they are. */
export function laneBox(canvas: HTMLCanvasElement): { readonly left: number; readonly width: number } {
  const { width } = canvas.getBoundingClientRect();
  const left = width < 700 ? 72 : NAME_PX;
  return { left, width: Math.max(1, width - left - 8) };
}

/** Draws the map of the whole run, a lane below the other, and the time below them. */
export function drawLanes(canvas: HTMLCanvasElement, drawn: LanesDrawn): void {
  const context = fitted(canvas);
  if (context === null) return;
  const { items, lanes, axis, window: shown, palette } = drawn;
  const { left, width } = laneBox(canvas);
  const laneAt = new Map(lanes.map((lane, index) => [lane, MAP_PX + index * LANE_PX]));
  const scale = width / Math.max(1, shown.to - shown.from);
  const x = (ms: number): number => left + (axis.place(ms) - shown.from) * scale;
  const family = getComputedStyle(document.body).fontFamily;
  context.font = `12px ${family}`;
  context.textBaseline = 'middle';

  drawMap(context, drawn, left, width);
  lanes.forEach((lane, index) => {
    const top = MAP_PX + index * LANE_PX;
    context.strokeStyle = palette.line;
    context.beginPath();
    context.moveTo(0, top + 0.5);
    context.lineTo(left + width, top + 0.5);
    context.stroke();
    context.fillStyle = palette.quiet;
    context.fillText(fittedText(context, plainText(lane, 60), left - 14), 8, top + LANE_PX / 2);
  });
  context.save();
  context.beginPath();
  context.rect(left, MAP_PX, width, lanes.length * LANE_PX + AXIS_PX);
  context.clip();
  for (const idle of axis.idle) {
    const from = left + (idle.at - shown.from) * scale;
    context.fillStyle = palette.raised;
    context.fillRect(from, MAP_PX, idle.length * scale, lanes.length * LANE_PX);
    const says = spanText(idle.ms);
    if (idle.length * scale > context.measureText(says).width + 4) {
      context.fillStyle = palette.quiet;
      context.fillText(says, from + 2, MAP_PX + lanes.length * LANE_PX + AXIS_PX / 2);
    }
  }
  drawJoins(context, drawn, laneAt, x);
  const merges = items.length > MOST_SINGLE;
  const ends = new Map<string, number>();
  for (const item of items) {
    const top = (laneAt.get(item.lane) ?? MAP_PX) + 4;
    const from = x(item.from);
    const to = Math.max(from + 3, x(item.to ?? drawn.now));
    if (to < left || from > left + width) continue;
    const mark = rowMark(item);
    const isQuiet = mark.meaning === 'allow' || mark.meaning === 'plain';
    if (merges && isQuiet && (ends.get(item.lane) ?? -1) >= Math.floor(from)) continue;
    ends.set(item.lane, Math.floor(to));
    context.fillStyle = palette.of[mark.meaning];
    context.fillRect(from, top, to - from, LANE_PX - 8);
    if (mark.meaning !== 'allow' && mark.meaning !== 'plain' && to - from > 12) {
      context.fillStyle = palette.surface;
      context.fillText(mark.glyph, from + 3, top + (LANE_PX - 8) / 2 + 1);
    }
    if (item.seq === drawn.selected) {
      context.strokeStyle = palette.text;
      context.lineWidth = 2;
      context.strokeRect(from - 2, top - 2, to - from + 4, LANE_PX - 4);
      context.lineWidth = 1;
    }
  }
  for (const mark of drawn.marks) {
    context.strokeStyle = palette.text;
    context.beginPath();
    context.moveTo(x(mark), MAP_PX);
    context.lineTo(x(mark), MAP_PX + lanes.length * LANE_PX);
    context.stroke();
  }
  context.restore();
  drawTimes(context, drawn, left, width);
}

/** The item under a point, or the nearest one of its lane within a few pixels. */
export function itemAt(
  canvas: HTMLCanvasElement,
  drawn: LanesDrawn,
  px: number,
  py: number,
): TimelineItem | null {
  const { left, width } = laneBox(canvas);
  const lane = drawn.lanes[Math.floor((py - MAP_PX) / LANE_PX)];
  const scale = width / Math.max(1, drawn.window.to - drawn.window.from);
  const x = (ms: number): number => left + (drawn.axis.place(ms) - drawn.window.from) * scale;
  let found: TimelineItem | null = null;
  let nearest = 8;
  for (const item of drawn.items) {
    if (item.lane !== lane) continue;
    const [from, to] = [x(item.from), Math.max(x(item.from) + 3, x(item.to ?? drawn.now))];
    const away = px < from ? from - px : px > to ? px - to : 0;
    if (away < nearest || (away === 0 && found === null)) [found, nearest] = [item, away];
  }
  return found;
}

function drawMap(
  context: CanvasRenderingContext2D,
  { items, axis, window: shown, now, palette }: LanesDrawn,
  left: number,
  width: number,
): void {
  const scale = width / axis.length;
  context.fillStyle = palette.raised;
  context.fillRect(left + shown.from * scale, 0, Math.max(2, (shown.to - shown.from) * scale), MAP_PX);
  for (const item of items) {
    const { meaning } = rowMark(item);
    const from = left + axis.place(item.from) * scale;
    const long = Math.max(1, left + axis.place(item.to ?? now) * scale - from);
    const isQuiet = meaning === 'allow' || meaning === 'plain';
    context.fillStyle = palette.of[meaning];
    context.fillRect(from, isQuiet ? 6 : 3, isQuiet ? long : Math.max(2, long), isQuiet ? 6 : 12);
  }
  context.strokeStyle = palette.quiet;
  context.strokeRect(
    left + shown.from * scale + 0.5,
    0.5,
    Math.max(2, (shown.to - shown.from) * scale) - 1,
    MAP_PX - 2,
  );
}

/** Lines from an item to the one that it belongs to: firm by an id that both have, dashed by their times. */
function drawJoins(
  context: CanvasRenderingContext2D,
  { items, palette, selected }: LanesDrawn,
  laneAt: ReadonlyMap<string, number>,
  x: (ms: number) => number,
): void {
  if (items.length > MOST_SINGLE) return;
  // Changes of files are told by the entry of what made them, and nothing belongs to them.
  const bySeq = new Map(items.filter(({ kind }) => kind !== 'file').map((item) => [item.seq, item] as const));
  for (const item of items) {
    const other = item.parent === null ? undefined : bySeq.get(item.parent.seq);
    if (other === undefined || item.parent === null || other.lane === item.lane) continue;
    const isOf = item.seq === selected || other.seq === selected;
    context.strokeStyle = isOf ? palette.text : palette.line;
    context.setLineDash(item.parent.by === 'time' ? [3, 3] : []);
    context.beginPath();
    context.moveTo(x(item.from) + 1, (laneAt.get(item.lane) ?? 0) + LANE_PX / 2);
    context.lineTo(x(item.from) + 1, (laneAt.get(other.lane) ?? 0) + LANE_PX / 2);
    context.stroke();
  }
  context.setLineDash([]);
}

function drawTimes(
  context: CanvasRenderingContext2D,
  { axis, window: shown, lanes, palette, clock }: LanesDrawn,
  left: number,
  width: number,
): void {
  const y = MAP_PX + lanes.length * LANE_PX + AXIS_PX / 2;
  context.fillStyle = palette.quiet;
  const steps = Math.max(1, Math.floor(width / 140));
  const isFine = axis.time(shown.to) - axis.time(shown.from) < FINE_MS;
  let free = left;
  const scale = width / Math.max(1, shown.to - shown.from);
  const idleAt = axis.idle.map(({ at, length }) => {
    const from = left + (at - shown.from) * scale;
    return [from, from + length * scale] as const;
  });
  for (let step = 0; step < steps; step += 1) {
    const place = shown.from + ((shown.to - shown.from) * step) / steps;
    const moment = axis.time(place);
    const text = isFine
      ? `${clock.time(moment)}.${String(Math.floor(moment % 1000)).padStart(3, '0')}`
      : clock.time(moment);
    const at = left + (width * step) / steps;
    const { width: wide } = context.measureText(text);
    // A time that does not fit into the lanes, or that the length of an idle stretch stands in, is left out.
    const isTaken = idleAt.some(([from, until]) => at < until && at + wide + TICK_GAP_PX > from);
    if (isTaken || at < free || at + wide > left + width) continue;
    context.fillText(text, at, y);
    free = at + wide + TICK_GAP_PX;
  }
}

function fittedText(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let cut = text;
  while (cut.length > 1 && context.measureText(`${cut}…`).width > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}
