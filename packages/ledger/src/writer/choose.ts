import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenStoreOptions } from '../store/open-store.js';
import type { Driver } from './driver.js';
import { InlineDriver } from './inline-driver.js';
import { WorkerDriver } from './worker-driver.js';

/** Where the store runs: in the thread that opened the ledger, or in one of its own. */
export type WriterPlace = 'inline' | 'worker';

/** Where the store is to run; `auto` measures. */
export type WriterChoice = 'auto' | WriterPlace;

/** Makes drivers, and tells when to leave the one for the other. */
export interface DriverSource {
  /** The kind that is in use. */
  readonly place: WriterPlace;
  /** A fresh driver of the kind that is in use. */
  create(): Driver;
  /** Notes how long a COMMIT took; true when the store is to move now, out of this thread or back into it. */
  shouldMove(commitMs: number): boolean;
}

/**
 * Above this, a commit in this thread holds up everything else for clearly longer than the worker costs, which in turn
 * is most of all throughput on a fast disk. `bench/group-commit.mjs` with 32 callers on two cores, fsyncs of a set length:
 *
 * | fsync | inline, of the worker's pace | event loop p99, inline and worker |
 * |---|---|---|
 * | 0.2 ms | 1.86 | 3.2 and 3.8 ms |
 * | 0.5 ms | 1.44 | 8.2 and 3.8 ms |
 * | 1 ms | 1.17 | 7.3 and 2.6 ms |
 * | 2 ms | 1.17 | 12 and 3.2 ms |
 *
 * A limit below it is crossed by noise as well.
 */
const INLINE_LIMIT_MS = 1;
const WINDOW = 32;
/** So many windows in a row have to be slow: one may fall into a checkpoint or somebody else's burst of writes. */
const SLOW_WINDOWS = 2;
/** Below this, by a clear distance, the hop to the worker costs a lone commit more than the commit costs this thread. */
const RETURN_LIMIT_MS = 0.5;
/** So many windows in a row have to be fast: a move closes the ledger, opens it and checks its end, some ten milliseconds. */
const FAST_WINDOWS = 8;
/** Each return doubles what the next one takes, up to this: a load that comes and goes must not move the store to and fro. */
const MOST_FAST_WINDOWS = 256;
const PROBES = 31;
/** A slow disk shows itself in fewer probes, and a start must not wait for all of them. */
const FEWEST_PROBES = 7;
const PROBING_MS = 50;

/** Decides where the store runs. `auto` probes the ledger's own folder and keeps watching the commits. */
export function chooseDriver(options: {
  readonly store: Omit<OpenStoreOptions, 'nowMs'>;
  readonly choice: WriterChoice;
  readonly workerUrl: URL | undefined;
}): DriverSource {
  const { store, choice } = options;
  const url = options.workerUrl ?? new URL('./worker-main.js', import.meta.url);
  const slow =
    choice === 'auto' && store.durability === 'fsync' && probeMs(dirname(store.path)) > INLINE_LIMIT_MS;
  let inline = choice === 'inline' || (choice === 'auto' && !slow);
  const recent: number[] = [];
  let slowWindows = 0;
  let fastWindows = 0;
  let fastEnough = FAST_WINDOWS;
  return {
    get place() {
      return inline ? 'inline' : 'worker';
    },
    create: () => (inline ? new InlineDriver(store) : new WorkerDriver(store, url)),
    shouldMove(commitMs) {
      if (choice !== 'auto') return false;
      recent.push(commitMs);
      if (recent.length < WINDOW) return false;
      // The median: a checkpoint now and then makes one commit long, a slow disk makes all of them long.
      const typical = median(recent);
      recent.length = 0;
      slowWindows = inline && typical > INLINE_LIMIT_MS ? slowWindows + 1 : 0;
      fastWindows = !inline && typical < RETURN_LIMIT_MS ? fastWindows + 1 : 0;
      if (slowWindows < SLOW_WINDOWS && fastWindows < fastEnough) return false;
      if (!inline) fastEnough = Math.min(MOST_FAST_WINDOWS, fastEnough * 2);
      inline = !inline;
      slowWindows = 0;
      fastWindows = 0;
      return true;
    },
  };
}

/** Median duration of write and fdatasync of a page in `folder`, in milliseconds. */
function probeMs(folder: string): number {
  const probe = mkdtempSync(join(folder, '.probe-'));
  try {
    const handle = openSync(join(probe, 'p'), 'w', 0o600);
    try {
      const page = Buffer.alloc(4096);
      const times: number[] = [];
      const until = performance.now() + PROBING_MS;
      while (times.length < FEWEST_PROBES || (times.length < PROBES && performance.now() < until)) {
        const started = performance.now();
        writeSync(handle, page);
        fdatasyncSync(handle);
        times.push(performance.now() - started);
      }
      return median(times);
    } finally {
      closeSync(handle);
    }
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
