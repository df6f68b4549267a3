import type { EntryPosition } from '../entry/input.js';
import type { PurgeReport } from '../expiry/purge.js';
import type { IndexReport } from '../lookup/filler.js';
import type { OpenStoreOptions } from '../store/open-store.js';
import type { FlushReason } from '../store/store.js';
import type { CommitReport, DriverOpened } from './driver.js';
import type { PackedGroups } from './packed-groups.js';

/** The store that the worker's thread opens. */
export type WorkerStart = Omit<OpenStoreOptions, 'nowMs' | 'openDatabase'>;

/** Main thread to worker; one at a time, each answered once. */
export type WorkerRequest =
  | { readonly do: 'open'; readonly nowMs: number }
  | { readonly do: 'commit'; readonly groups: PackedGroups; readonly nowMs: number }
  | { readonly do: 'flush'; readonly nowMs: number; readonly reason: FlushReason }
  | { readonly do: 'purge' }
  | { readonly do: 'index' }
  | { readonly do: 'rotate'; readonly nowMs: number }
  | { readonly do: 'close' };

/** Worker to main thread. */
export type WorkerAnswer =
  | { readonly ok: true; readonly opened: DriverOpened }
  | { readonly ok: true; readonly report: CommitReport }
  | { readonly ok: true; readonly purged: PurgeReport }
  | { readonly ok: true; readonly indexed: IndexReport }
  | { readonly ok: true; readonly tip: EntryPosition }
  | { readonly ok: true; readonly done: true }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly help?: string };
