import type { PlaneEvent, Telemetry } from '../event.js';

/** A sign that the work has come to a boundary. */
export interface Sign {
  /** In a word, for records and templates. */
  readonly why: SignWhy;
  /** A boundary of its own tier: what is ordinary does not hold it back. */
  readonly isProtected: boolean;
  readonly from?: string;
  readonly to?: string;
}

export type SignWhy =
  | 'compaction'
  | 'failing'
  | 'kind'
  | 'module'
  | 'protected'
  | 'repeating'
  | 'repository'
  | 'task';

/**
 * One reason why work may have come to a boundary. Pure: the same memory and event give the same answer. A
 * memory is plain JSON of bounded size. An event without what the signal needs leaves the memory as it was.
 */
export interface Signal<M> {
  /** Without one of these the signal is off. */
  readonly needs: readonly Telemetry[];
  readonly start: M;
  see(memory: M, event: PlaneEvent): Seen<M>;
}

/** The memory behind an event, and the sign that it gave. */
export interface Seen<M> {
  readonly memory: M;
  readonly sign?: Sign;
}
