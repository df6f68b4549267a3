import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The most of its thread's processor time that one turn of the event loop may take: while it lasts everybody
 * waits.
 */
export const MOST_MS = 200;
/** How often the loop is looked at where it has nothing to do; where it has, every turn is. */
const LOOK_MS = 10;

/** Why turns cannot be measured here; undefined where they can. */
export function whyNoWatch() {
  try {
    closeSync(openSync('/proc/thread-self/schedstat', 'r'));
    return undefined;
  } catch {
    return 'the system does not tell the processor time of a thread (no /proc/thread-self/schedstat)';
  }
}

/** The processor time that this thread has had, in milliseconds. */
export function processorClock() {
  const stat = openSync('/proc/thread-self/schedstat', 'r');
  const bytes = Buffer.alloc(64);
  return {
    ms: () => Number(bytes.latin1Slice(0, readSync(stat, bytes, 0, bytes.length, 0)).split(' ', 1)[0]) / 1e6,
    close: () => closeSync(stat),
  };
}

/**
 * Measures each turn of this thread's event loop from now on, and calls `onLong` for one that took the
 * processor for more than `MOST_MS`. Time in which the thread slept, or others had the processor, does not
 * count. The collector's pauses do not count either: they follow no input, and are told beside.
 *
 * A timer runs once a turn where it is due by then. So from one look to the next there is one turn, and at
 * most `LOOK_MS` more.
 */
export function watchLoop(onLong) {
  const clock = processorClock();
  const pauses = [];
  const take = (entries) => {
    for (const { startTime, duration } of entries) if (duration > 1) pauses.push({ startTime, duration });
    pauses.splice(0, pauses.length - 1000);
  };
  const collector = new PerformanceObserver((list) => take(list.getEntries()));
  collector.observe({ entryTypes: ['gc'] });

  let since = { at: performance.now(), cpu: clock.ms() };
  const look = () => {
    const now = { at: performance.now(), cpu: clock.ms() };
    const took = now.cpu - since.cpu;
    if (took > MOST_MS) {
      take(collector.takeRecords());
      const inIt = pauses.filter(({ startTime }) => startTime >= since.at && startTime <= now.at);
      const collectedMs = inIt.reduce((sum, { duration }) => sum + duration, 0);
      const ms = Math.round(took - collectedMs - LOOK_MS);
      if (ms > MOST_MS) onLong({ ms, collectedMs: Math.round(collectedMs) });
      // The time that telling took is nobody's turn.
      since = { at: performance.now(), cpu: clock.ms() };
    } else since = now;
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return {
    stop() {
      look();
      clearInterval(timer);
      collector.disconnect();
      clock.close();
    },
  };
}
