import { useEffect, useRef, useState } from 'preact/hooks';
import { effect, type ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { API, type Histogram } from '../../../src/protocol/index.js';
import { plural, spanText } from '../../parts/figures.js';
import type { Page } from '../../state/page.js';
import { paletteOf } from '../../theme/palette.js';
import { drawHistogram } from './histogram.js';

const EVERY_MS = 5000;
const HOUR = 3_600_000;
const SPANS = [HOUR / 60, HOUR / 12, HOUR / 4, HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** A pointer that is drawn less far has chosen no time. */
const LEAST_RANGE_PX = 4;

/**
 * Counts by time above the list. A press or a drag goes to that time, a drag with Shift keeps to the time
 * that it spans, as `since:` and `until:` of the filter do. A line below it says what a bar is; for a screen
 * reader the list stands for the bars themselves.
 */
export function HistogramView({
  page,
  view,
  scrub,
  keep,
}: {
  readonly page: Page;
  /** Times of the first and the last row in view. */
  readonly view: ReadonlySignal<readonly [number, number] | null>;
  readonly scrub: (ms: number) => void;
  /** Both ends of a time, epoch ms, in any order. */
  readonly keep: (one: number, other: number) => void;
}): JSX.Element {
  const range = useRef<readonly [number, number] | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const counts = useRef<Histogram | null>(null);
  const [told, tell] = useState<Histogram | null>(null);
  const draw = (): void => {
    const element = canvas.current;
    if (element === null || counts.current === null) return;
    const palette = paletteOf(
      document.documentElement.querySelector('body') ?? element.parentElement ?? element,
    );
    drawHistogram(element, {
      counts: counts.current,
      view: range.current === null ? view.value : ordered(range.current),
      palette,
    });
  };
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    const read = async (): Promise<void> => {
      if (!document.hidden) {
        try {
          counts.current = await readCounts(page, canvas.current?.clientWidth ?? 600);
          if (!isOver) draw();
          tell(counts.current);
        } catch {
          // The next reading draws again; the strip says that there is no connection.
        }
      }
      if (!isOver) timer = setTimeout(() => void read(), EVERY_MS);
    };
    void read();
    const sized = new ResizeObserver(draw);
    if (canvas.current !== null) sized.observe(canvas.current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    const stop = effect(() => {
      void [page.looks.theme.value, view.value];
      draw();
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      sized.disconnect();
      dark.removeEventListener('change', draw);
      stop();
    };
  }, []);
  const timeOf = (event: PointerEvent): number | null => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined || counts.current === null) return null;
    const { from, to } = counts.current;
    return from + ((event.clientX - box.left) / box.width) * (to - from);
  };
  const pressed = (event: PointerEvent): void => {
    const ms = timeOf(event);
    if (ms === null) return;
    if (event.shiftKey) range.current = [ms, ms];
    else scrub(ms);
  };
  const moved = (event: PointerEvent): void => {
    const ms = timeOf(event);
    if (ms === null || event.buttons !== 1) return;
    if (range.current === null) return scrub(ms);
    range.current = [range.current[0], ms];
    draw();
  };
  const released = (): void => {
    const chosen = range.current;
    range.current = null;
    if (chosen === null || counts.current === null) return;
    const { from, to } = counts.current;
    const px = (Math.abs(chosen[1] - chosen[0]) / (to - from)) * (canvas.current?.clientWidth ?? 0);
    if (px >= LEAST_RANGE_PX) keep(...chosen);
    else draw();
  };
  const { clock } = page;
  return (
    <>
      <div
        class="histogram"
        title="Press or drag to go to a time, drag with Shift to keep to one"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          pressed(event);
        }}
        onPointerMove={moved}
        onPointerUp={released}
        onPointerCancel={released}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <p class="histogram-says quiet">
        {told === null ? null : (
          <>
            <span>{clock.value.time(told.from)}</span>
            <span>
              A bar is {spanText((told.to - told.from) / told.all.length)}, the highest{' '}
              {plural(Math.max(...told.all), 'record')}
              <span class="wide">
                ; its foot:{' '}
                <span class="mark" data-meaning="refused">
                  refused
                </span>
                ,{' '}
                <span class="mark" data-meaning="hint">
                  hinted or asked
                </span>
              </span>
            </span>
            <span>{clock.value.time(told.to)}</span>
          </>
        )}
      </p>
    </>
  );
}

function ordered([one, other]: readonly [number, number]): readonly [number, number] {
  return one < other ? [one, other] : [other, one];
}

/** Counts from the oldest record to now, over the smallest of a few spans that holds some. */
async function readCounts(page: Page, width: number): Promise<Histogram> {
  const to = page.now();
  const oldest = page.feed.rows.all[0]?.ts ?? to;
  const span = SPANS.find((one) => one >= to - oldest) ?? Math.max(to - oldest, HOUR);
  const buckets = Math.max(20, Math.min(1000, Math.floor(width / 4)));
  return page.api.get<Histogram>(API.histogram, { from: to - span, to, buckets });
}
