import type { JsonObject, PayloadOf, PolicyRef } from '@subluminal/core-types';
import type { EntryInput, LedgerRow } from '@subluminal/ledger';
import type { Narrowing } from '@subluminal/policy';

/** A policy that narrows that of the home for a run. */
export interface RunNarrowing extends Narrowing {
  readonly ref: PolicyRef;
  /** Of a project: the path of its policy. */
  readonly file: string | undefined;
}

/** A run, as far as projects bind it: one object from its beginning to its end. */
export interface BoundRun {
  readonly id: string;
}

/** Where a run is about to begin, as it was looked up. */
export interface Beginning {
  /** As `run_start` says it. */
  readonly recorded: JsonObject;
  /** As the run is answered. */
  readonly answered: JsonObject;
  /** The run begins there. Gives the entries of the policies that bind it from now on. */
  enter(run: BoundRun, ts: number): readonly EntryInput[];
  /** Its beginning is recorded: it is bound by what was trusted meanwhile, too. */
  begun(run: BoundRun): void;
}

/**
 * The policies of the projects that runs work in: they take away, and never give. The core asks it about each
 * call; the wing `projects` is behind it. Of a run that has neither begun nor been restored it throws.
 */
export interface Projects {
  /** The policies that bind a run now. */
  of(run: BoundRun): readonly RunNarrowing[];
  /** Those that would bind a run which works in that folder. */
  at(folder: string): Promise<readonly RunNarrowing[]>;
  /** Looks for the place of a new run. `late`: nobody can tell in time which policies bind it there. */
  look(asked: PayloadOf<'run.begin'>): Promise<Beginning | 'late'>;
  /** The run works in this folder, too. Policies that bind it by that are recorded first. */
  enter(run: BoundRun, folder: string): void;
  /**
   * The run makes a call in this folder, which binds it where its links lead, too. `late`: nobody can tell in
   * time where that is, and the call is not made.
   */
  follow(run: BoundRun, folder: string | undefined): 'entered' | Promise<'entered' | 'late'>;
  /** A run that its `run_start` tells of goes on with what bound it. */
  restore(run: BoundRun, start: Pick<LedgerRow, 'data'>): void;
  /**
   * Called when other policies bind a run, and without one when that may be any. Returns the function that
   * ends it.
   */
  onChange(listener: (run?: BoundRun) => void): () => void;
}
