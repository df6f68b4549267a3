import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenStoreOptions } from '../store/open-store.js';
import type { Driver } from './driver.js';
import { InlineDriver } from './inline-driver.js';
import { WorkerDriver } from './worker-driver.js';

/** Where the store runs. */
export type WriterChoice = 'auto' | 'inline' | 'worker';

/** Makes drivers, and tells when to leave the inline one. */
export interface DriverSource {
  /** A fresh driver of the kind that is in use. */
  create(): Driver;
  /** Notes how long a COMMIT took; true when the store is to move to the worker now. */
  shouldMove(commitMs: number): boolean;
}

/** Above this, a commit in this thread holds up everything else for longer than the hop to a worker costs. */
const INLINE_LIMIT_MS = 0.25;
const WINDOW = 32;
const PROBES = 7;

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
  return {
    create: () => (inline ? new InlineDriver(store) : new WorkerDriver(store, url)),
    shouldMove(commitMs) {
      if (!inline || choice !== 'auto') return false;
      recent.push(commitMs);
      if (recent.length < WINDOW) return false;
      // The median: a checkpoint now and then makes one commit long, a slow disk makes all of them long.
      inline = median(recent) <= INLINE_LIMIT_MS;
      recent.length = 0;
      return !inline;
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
      for (let at = 0; at < PROBES; at += 1) {
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
