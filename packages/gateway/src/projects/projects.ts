import { isSublError, SublError } from '@subluminal/core-types';
import type { Logger } from '../base/logger.js';
import type { ProjectStore, TrustedText } from '../store/project-store.js';
import { amongAbove } from './folders.js';
import { closedProjectPolicy, compileProjectPolicy, type ProjectPolicy } from './project-policy.js';
import type { RunProjects } from './run-projects.js';

/** Policy files that are trusted at once. */
export const MAX_TRUSTED = 64;

/** A run, as far as projects bind it. */
export interface BoundRun {
  readonly id: string;
  readonly projects: RunProjects;
}

export interface ProjectsParts {
  readonly store: ProjectStore;
  /** The home of the account. */
  readonly home: string;
  readonly log: Logger;
}

/**
 * The policies of projects that the operator trusts, by the path of their file. The text that was trusted
 * decides: no file is read for a call, so that nothing an agent does to one has an effect.
 */
export class Projects {
  readonly #parts: ProjectsParts;
  readonly #trusted: Map<string, TrustedText>;
  readonly #policies = new Map<string, ProjectPolicy>();
  readonly #listeners = new Set<() => void>();
  #ofRuns = new WeakMap<RunProjects, readonly ProjectPolicy[]>();

  constructor(parts: ProjectsParts) {
    this.#parts = parts;
    this.#trusted = new Map(parts.store.all().map((one) => [one.file, one]));
  }

  /** Every trusted file, by its path. */
  get all(): readonly TrustedText[] {
    return [...this.#trusted.values()].toSorted((one, other) => (one.file < other.file ? -1 : 1));
  }

  get isEmpty(): boolean {
    return this.#trusted.size === 0;
  }

  find(file: string): TrustedText | undefined {
    return this.#trusted.get(file);
  }

  /** The policies that bind a run now. */
  of({ projects }: Pick<BoundRun, 'projects'>): readonly ProjectPolicy[] {
    if (projects.files.size === 0) return NONE;
    const known = this.#ofRuns.get(projects);
    if (known !== undefined) return known;
    const found = [...projects.files].flatMap((file) => this.policy(file) ?? []);
    this.#ofRuns.set(projects, found);
    return found;
  }

  /** Those that would bind a run which works in these folders. */
  at(folders: readonly string[]): readonly ProjectPolicy[] {
    return this.#above(folders).flatMap((file) => this.policy(file) ?? []);
  }

  /** The run works in these folders, too: gives the policies that bind it from now on. */
  enter(run: BoundRun, folders: readonly string[]): readonly ProjectPolicy[] {
    for (const folder of folders) run.projects.worksIn(folder);
    const entered = this.#above(folders).filter((file) => !run.projects.files.has(file));
    if (entered.length === 0) return NONE;
    for (const file of entered) {
      this.#parts.store.enter(run.id, file);
      run.projects.files.add(file);
    }
    this.#ofRuns.delete(run.projects);
    this.#changed();
    return entered.flatMap((file) => this.policy(file) ?? []);
  }

  /** A run goes on with what bound it. */
  restore(run: BoundRun): void {
    for (const file of this.#parts.store.enteredBy(run.id)) run.projects.files.add(file);
  }

  /** @throws SublError `policy_invalid`, `overloaded`. */
  trust(trusted: TrustedText): ProjectPolicy {
    const policy = compileProjectPolicy(trusted.file, trusted.text);
    if (!this.#trusted.has(trusted.file) && this.#trusted.size >= MAX_TRUSTED)
      throw new SublError('overloaded', `${MAX_TRUSTED} policy files of projects are trusted`, {
        help: '`sub policy show --projects` lists them, `sub policy untrust` takes one away',
      });
    this.#parts.store.write(trusted);
    this.#trusted.set(trusted.file, trusted);
    this.#policies.set(trusted.file, policy);
    this.#changed();
    return policy;
  }

  /** The text that was trusted until now; undefined for none. */
  untrust(file: string): TrustedText | undefined {
    const was = this.#trusted.get(file);
    if (was === undefined) return undefined;
    this.#parts.store.remove(file);
    this.#trusted.delete(file);
    this.#policies.delete(file);
    this.#changed();
    return was;
  }

  /** Called when other policies bind some run. Returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The policy that binds the runs in this file's folder; undefined if nobody trusts one. */
  policy(file: string): ProjectPolicy | undefined {
    const trusted = this.#trusted.get(file);
    if (trusted === undefined) return undefined;
    const known = this.#policies.get(file);
    if (known !== undefined) return known;
    const policy = this.#compiled(trusted);
    this.#policies.set(file, policy);
    return policy;
  }

  #above(folders: readonly string[]): readonly string[] {
    if (this.isEmpty) return [];
    const trusted = [...this.#trusted.keys()];
    return [...new Set(folders.flatMap((folder) => amongAbove(trusted, folder, this.#parts.home)))];
  }

  #compiled({ file, text }: TrustedText): ProjectPolicy {
    try {
      return compileProjectPolicy(file, text);
    } catch (error) {
      if (!isSublError(error, 'policy_invalid')) throw error;
      this.#parts.log.error('a trusted policy cannot be read any more: its project is closed', { file });
      return closedProjectPolicy(file, text);
    }
  }

  #changed(): void {
    this.#ofRuns = new WeakMap();
    for (const listener of this.#listeners) listener();
  }
}

const NONE: readonly ProjectPolicy[] = Object.freeze([]);
