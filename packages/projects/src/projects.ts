import { objectAt, textAt, type PayloadOf } from '@subluminal/core-types';
import {
  type Beginning,
  type BoundRun,
  type Clock,
  inTime,
  type Logger,
  nearest,
  type Projects as ProjectsPort,
  type Recorder,
} from '@subluminal/gateway';
import type { EntryInput, LedgerRow } from '@subluminal/ledger';
import { answeredData, aroundRun, recordedData } from './place/around.js';
import { findingsIn, type ProjectSight } from './place/finding.js';
import { RunProjects } from './run-projects.js';
import { projectPolicyEntry, type ProjectPolicy } from './trusted/project-policy.js';
import type { ProjectStore } from './trusted/project-store.js';
import { TrustedPolicies } from './trusted/trusted-policies.js';

export interface ProjectsParts {
  readonly store: Pick<ProjectStore, 'all' | 'enter' | 'enteredBy' | 'remove' | 'write'>;
  readonly sight: ProjectSight;
  readonly recorder: Pick<Recorder, 'note'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The runs that live, and the policies of the projects that they have worked in. */
export class Projects implements ProjectsPort {
  readonly trusted: TrustedPolicies;
  readonly #parts: ProjectsParts;
  readonly #runs = new WeakMap<BoundRun, RunProjects>();
  readonly #listeners = new Set<(run?: BoundRun) => void>();
  #policies = new WeakMap<BoundRun, readonly ProjectPolicy[]>();

  constructor(parts: ProjectsParts) {
    this.#parts = parts;
    const { store, sight, log } = parts;
    this.trusted = new TrustedPolicies({ store, home: sight.home, changed: () => this.#changed(), log });
  }

  of(run: BoundRun): readonly ProjectPolicy[] {
    const { files } = this.where(run);
    if (files.size === 0) return NONE;
    const known = this.#policies.get(run);
    if (known !== undefined) return known;
    const found = [...files].flatMap((file) => this.trusted.policy(file) ?? []);
    this.#policies.set(run, found);
    return found;
  }

  async at(folder: string): Promise<readonly ProjectPolicy[]> {
    if (this.trusted.size === 0) return NONE;
    const real = await this.#real(folder);
    const files = this.trusted.above(real === 'late' ? [folder] : [folder, real]);
    return files.flatMap((file) => this.trusted.policy(file) ?? []);
  }

  async look(asked: PayloadOf<'run.begin'>): Promise<Beginning | 'late'> {
    const { trusted } = this;
    const seen = await aroundRun({ trusted, sight: this.#parts.sight }, asked);
    if (seen === 'late') return 'late';
    return {
      recorded: recordedData(seen),
      answered: answeredData(seen),
      enter: (run, ts) => {
        this.#runs.set(run, new RunProjects(seen.findings));
        return entries(run, this.#bind(run, seen.folders), ts);
      },
      begun: (run) => {
        for (const folder of seen.folders) this.enter(run, folder);
      },
    };
  }

  enter(run: BoundRun, folder: string): void {
    const { recorder, clock } = this.#parts;
    const entered = this.#bind(run, [folder]);
    if (entered.length > 0) recorder.note({ entries: entries(run, entered, clock()) });
  }

  follow(run: BoundRun, folder: string | undefined): 'entered' | Promise<'entered' | 'late'> {
    if (folder?.startsWith('/') !== true) return 'entered';
    this.enter(run, folder);
    return this.trusted.size === 0 ? 'entered' : this.#followLinks(run, folder);
  }

  restore(run: BoundRun, { data }: Pick<LedgerRow, 'data'>): void {
    const state = new RunProjects(findingsIn(objectAt(data, 'run')['projects']));
    const folder = textAt(data, 'workload', 'repo_path');
    if (folder !== '') state.worksIn(folder);
    for (const file of this.#parts.store.enteredBy(run.id)) state.files.add(file);
    this.#runs.set(run, state);
  }

  onChange(listener: (run?: BoundRun) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Where a run works. Nothing is known of a run that has not begun here, and nothing may pass for it. */
  where(run: BoundRun): RunProjects {
    const state = this.#runs.get(run);
    if (state === undefined) throw new Error('nobody knows which projects bind the run');
    return state;
  }

  /** The run works in these folders, too: gives the policies that bind it from now on. */
  #bind(run: BoundRun, folders: readonly string[]): readonly ProjectPolicy[] {
    const state = this.where(run);
    for (const folder of folders) state.worksIn(folder);
    const entered = this.trusted.above(folders).filter((file) => !state.files.has(file));
    if (entered.length === 0) return NONE;
    for (const file of entered) {
      this.#parts.store.enter(run.id, file);
      state.files.add(file);
    }
    // Nothing is another for other runs: how many live must not be the price of one call.
    this.#policies.delete(run);
    for (const listener of this.#listeners) listener(run);
    return entered.flatMap((file) => this.trusted.policy(file) ?? []);
  }

  async #followLinks(run: BoundRun, folder: string): Promise<'entered' | 'late'> {
    const real = await this.#real(folder);
    if (real === 'late') return 'late';
    if (real !== folder) this.enter(run, real);
    return 'entered';
  }

  /** The folder as its links lead, or those of the nearest one above it. */
  #real(folder: string): Promise<string> {
    return inTime((isLate) => nearest(folder, this.#parts.sight.resolve, isLate));
  }

  #changed(): void {
    this.#policies = new WeakMap();
    for (const listener of this.#listeners) listener();
  }
}

const NONE: readonly ProjectPolicy[] = Object.freeze([]);

/** `policy_loaded` of each policy that binds a run from now on. */
function entries({ id }: BoundRun, policies: readonly ProjectPolicy[], ts: number): EntryInput[] {
  return policies.map((policy) => projectPolicyEntry(id, policy, ts));
}
