import type { ListedRun } from '../../../src/protocol/index.js';
import type { Palette } from '../../theme/palette.js';

/** Of the drawing, in CSS pixels; the lower part is for what was refused. */
const WIDE = 40;
const ABOVE = 11;
const BELOW = 6;
const BAR = 2;

type Drawn = Pick<ListedRun, 'began' | 'ended' | 'spark'>;

/** Bars of a run over its own time: what it did above a line, what was refused below it. */
export interface SparkDrawn {
  readonly above: readonly number[];
  readonly below: readonly number[];
}

/** Lengths from 0 to 1 of so many bars. The longest one is the busiest time of this run, not of all. */
export function barsOf({ began, ended, spark }: Drawn, now: number): SparkDrawn {
  const bars = WIDE / BAR;
  const [above, below] = [Array.from({ length: bars }, () => 0), Array.from({ length: bars }, () => 0)];
  if (spark === null) return { above, below };
  const long = Math.max(1, (ended ?? now) - began, spark.all.length * spark.width_ms);
  const put = (into: number[], counts: readonly number[]): void =>
    counts.forEach((count, at) => {
      // A bucket that is wider than a bar fills those that it covers.
      const first = Math.min(bars - 1, Math.floor((at * spark.width_ms * bars) / long));
      const end = Math.min(bars, Math.max(first + 1, Math.floor(((at + 1) * spark.width_ms * bars) / long)));
      for (let bar = first; bar < end; bar += 1) into[bar] = (into[bar] ?? 0) + count / (end - first);
    });
  put(above, spark.all);
  put(below, spark.refused);
  const most = Math.max(1e-9, ...above, ...below);
  const share = (count: number): number => count / most;
  return { above: above.map(share), below: below.map(share) };
}

/** A canvas of its own for each row of the pool; `paint` draws where something of it changed. */
export function sparkOf(
  now: () => number,
  palette: () => Palette,
): { readonly element: HTMLElement; paint(run: Drawn): void } {
  const element = document.createElement('span');
  element.className = 'r-spark';
  // The numbers beside it say the same.
  element.setAttribute('aria-hidden', 'true');
  const canvas = document.createElement('canvas');
  element.append(canvas);
  let last = '';
  return {
    element,
    paint(run) {
      const bars = barsOf(run, now());
      const colours = palette();
      const key = JSON.stringify([bars, colours.routine, colours.of.refused, window.devicePixelRatio]);
      if (key === last) return;
      last = key;
      draw(canvas, bars, colours);
    },
  };
}

function draw(canvas: HTMLCanvasElement, { above, below }: SparkDrawn, palette: Palette): void {
  const scale = window.devicePixelRatio;
  canvas.width = Math.round(WIDE * scale);
  canvas.height = Math.round((ABOVE + BELOW + 1) * scale);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(scale, scale);
  context.fillStyle = palette.line;
  context.fillRect(0, ABOVE, WIDE, 1);
  const bar = (share: number, room: number): number =>
    share === 0 ? 0 : Math.max(2, Math.round(share * room * scale) / scale);
  context.fillStyle = palette.quiet;
  above.forEach((share, at) => {
    const high = bar(share, ABOVE);
    context.fillRect(at * BAR, ABOVE - high, BAR - 0.5, high);
  });
  context.fillStyle = palette.of.refused;
  below.forEach((share, at) => context.fillRect(at * BAR, ABOVE + 1, BAR, bar(share, BELOW)));
}
