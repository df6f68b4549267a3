import { useEffect, useRef, useState } from 'preact/hooks';
import { effect, type ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { API, type Histogram } from '../../../src/protocol/index.js';
import { plural, spanText, type Clock } from '../../parts/figures.js';
import type { Page } from '../../state/page.js';
import { usePalette } from '../../theme/use-palette.js';
import { drawHistogram } from './histogram.js';

const HINTED = 'with a hint or a question';
const EVERY_MS = 5000;
const HOUR = 3_600_000;
const SPANS = [HOUR / 60, HOUR / 12, HOUR / 4, HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** A pointer that is drawn less far has chosen no time. */
const LEAST_RANGE_PX = 4;

/**
 * Counts by time above the list. A press or a drag goes to that time, a drag with Shift keeps to the time
 * that it spans, as `since:` and `until:` of the filter do. A line below it says what a bar is, or what
 * the one under the pointer counts; for a screen reader the list stands for the bars themselves.
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
  const [counts, setCounts] = useState<Histogram | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const palette = usePalette(page.looks.theme.value);
  // The rows say how far back it goes.
  const isEarly = counts === null && page.feed.isLoading.value;
  const draw = (): void => {
    if (canvas.current === null || counts === null) return;
    const shown = range.current === null ? view.value : ordered(range.current);
    drawHistogram(canvas.current, { counts, view: shown, palette });
  };
  useEffect(() => {
    if (isEarly) return undefined;
    let isOver = false;
    let timer = 0;
    const read = async (): Promise<void> => {
      if (!document.hidden) {
        try {
          setCounts(await readCounts(page, canvas.current?.clientWidth ?? 600));
        } catch {
          // The next reading draws again; the strip says that there is no connection.
        }
      }
      if (!isOver) timer = setTimeout(() => void read(), EVERY_MS);
    };
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isEarly]);
  useEffect(() => {
    const sized = new ResizeObserver(draw);
    if (canvas.current !== null) sized.observe(canvas.current);
    const stop = effect(() => {
      void view.value;
      draw();
    });
    return () => {
      sized.disconnect();
      stop();
    };
  }, [counts, palette]);
  const timeOf = (event: PointerEvent): number | null => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined || counts === null) return null;
    const { from, to } = counts;
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
    if (ms === null) return;
    setOver(ms);
    if (event.buttons !== 1) return;
    if (range.current === null) return scrub(ms);
    range.current = [range.current[0], ms];
    draw();
  };
  const released = (): void => {
    const chosen = range.current;
    range.current = null;
    if (chosen === null || counts === null) return;
    const { from, to } = counts;
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
        onPointerLeave={() => setOver(null)}
        onPointerUp={released}
        onPointerCancel={released}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <p class="histogram-says quiet">
        {counts === null ? null : over !== null ? (
          <span>{barText(counts, over, clock.value)}</span>
        ) : (
          <>
            <span>{clock.value.time(counts.from)}</span>
            <span>
              {counts.partial ? 'Still counting: a' : 'A'} bar is{' '}
              {spanText((counts.to - counts.from) / counts.all.length)}, the highest{' '}
              {plural(Math.max(...counts.all), 'record')}
              <span class="wide">
                {page.feed.filter.value === '' ? '' : ', whatever the filter'}; coloured:{' '}
                <span class="mark" data-meaning="refused">
                  refused
                </span>
                ,{' '}
                <span class="mark" data-meaning="hint">
                  {HINTED}
                </span>
              </span>
            </span>
            <span>{clock.value.time(counts.to)}</span>
          </>
        )}
      </p>
    </>
  );
}

/** The bar of a time: `12:03:04 – 12:03:06 · 14 records, 2 refused, 1 with a hint or a question`. */
function barText({ from, to, all, refused, hinted }: Histogram, ms: number, clock: Clock): string {
  const long = (to - from) / all.length;
  const at = Math.max(0, Math.min(all.length - 1, Math.floor((ms - from) / long)));
  const begin = from + at * long;
  const times = `${clock.time(begin)} – ${clock.time(begin + long)}`;
  return `${times} · ${plural(all[at] ?? 0, 'record')}, ${refused[at] ?? 0} refused, ${hinted[at] ?? 0} ${HINTED}`;
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
