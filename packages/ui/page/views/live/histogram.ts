import { fitted } from '../../parts/canvas.js';
import type { Histogram } from '../../../src/protocol/index.js';
import type { Palette } from '../../theme/palette.js';

/** Counts by time, and the part of it that the list shows. */
export interface HistogramDrawn {
  readonly counts: Histogram;
  /** First and last time in view, epoch ms; null where nothing is. */
  readonly view: readonly [number, number] | null;
  readonly palette: Palette;
}

/** Draws counts as bars: all of them quiet, on their base the refused ones and those with a hint. */
export function drawHistogram(canvas: HTMLCanvasElement, { counts, view, palette }: HistogramDrawn): void {
  const context = fitted(canvas);
  if (context === null) return;
  const { width, height } = canvas.getBoundingClientRect();
  const span = counts.to - counts.from;
  if (span <= 0) return;
  const x = (ms: number): number => ((ms - counts.from) / span) * width;
  if (view !== null) {
    context.fillStyle = palette.raised;
    const left = Math.min(x(view[0]), width - 2);
    context.fillRect(left, 0, Math.max(2, x(view[1]) - left), height);
  }
  const most = Math.max(1, ...counts.all);
  const bar = width / Math.max(1, counts.all.length);
  // Bars grow with the root of their count: one refused call beside a thousand stays in sight.
  const tall = (count: number): number =>
    count === 0 ? 0 : Math.max(2, Math.sqrt(count / most) * (height - 6));
  counts.all.forEach((all, index) => {
    const left = index * bar;
    const wide = Math.max(1, bar - (bar > 3 ? 1 : 0));
    context.fillStyle = palette.routine;
    context.fillRect(left, height - tall(all), wide, tall(all));
    let base = height;
    for (const [count, colour] of [
      [counts.refused[index] ?? 0, palette.of.refused],
      [counts.hinted[index] ?? 0, palette.of.hint],
    ] as const) {
      if (count === 0) continue;
      const high = Math.max(3, Math.min(tall(count), base));
      context.fillStyle = colour;
      context.fillRect(left, base - high, Math.max(2, wide), high);
      base -= high;
    }
  });
}
