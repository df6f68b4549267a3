import type { Change, FileState, How } from '../diff/change.js';
import { type BytePath, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import type { Folders } from '../files/folders.js';
import { stateOf } from '../files/state.js';
import { Arranged } from './arrange/arranged.js';
import { doneSteps, type Put, putSteps } from './arrange/puts.js';
import type { Asking } from './ask/asking.js';
import { deniedBy } from './denied.js';
import { gitPartOf } from './git.js';
import type { Conflict, ConflictKind, Refusal } from './left.js';
import { isGitsOwn, Refusing } from './refused.js';
import { isUnchanged, standingOf } from './standing.js';
import type { Agreed, CommitPlan } from './steps.js';

interface PlannerParts {
  readonly project: Folders;
  readonly upper: Folders;
  readonly asking: Asking;
  readonly isOverwriting: boolean;
  readonly seen: ReadonlyMap<BytePath, FileState | undefined> | undefined;
}

/** Conflicts that overwriting ends. */
const OVERWRITTEN: ReadonlySet<ConflictKind> = new Set(['changed', 'stale', 'exists', 'gone']);

/** Judges changes, folders before what stands in them: each is done, left, or has to wait. */
export class Planner {
  readonly #parts: PlannerParts;
  readonly #arranged: Arranged;
  readonly #refusing: Refusing;
  readonly #conflicts: Conflict[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #already: BytePath[] = [];
  readonly #gitsOwn: BytePath[] = [];

  constructor(parts: PlannerParts) {
    this.#parts = parts;
    this.#arranged = new Arranged(parts.project);
    this.#refusing = new Refusing(parts.upper);
  }

  get plan(): Omit<CommitPlan, 'isPartial'> {
    const { steps, conflicts, stripped } = this.#arranged.inOrder;
    const { waiting, agreed } = this.#parts.asking;
    return {
      steps,
      already: this.#already,
      conflicts: [...this.#conflicts, ...conflicts],
      refusals: this.#refusals,
      waiting,
      agreed,
      gitsOwn: this.#gitsOwn,
      stripped,
    };
  }

  async take(change: Change): Promise<void> {
    const { path, before, after } = change;
    try {
      const said = this.#parts.asking.saidTo(path);
      await this.#decide(said === undefined ? change : { ...change, after: said.after });
    } catch (error) {
      const system = deniedBy(error);
      if (system === undefined) throw error;
      this.#conflicts.push({ path, why: 'denied', system });
      this.#arranged.keep(path);
    }
    const isReplaced = before?.kind === 'folder' && after !== undefined && after.kind !== 'folder';
    if (isReplaced) this.#arranged.replace(path);
  }

  async #decide(change: Change): Promise<void> {
    const { path, after } = change;
    if (isGitsOwn(change)) {
      this.#gitsOwn.push(path);
      this.#arranged.keep(path);
      return;
    }
    const refused = this.#refusing.of(change);
    if (refused !== undefined) {
      this.#refusals.push({ path, why: refused });
      this.#arranged.keep(path);
      return;
    }
    const { folder, name } = split(path);
    const project = this.#parts.project.at(folder);
    const state = project === undefined ? undefined : stateOf(project, name);
    const judged = this.#overwrites(path, state) ? rebased(change, state) : change;
    if (after === undefined) await this.#remove(judged, state, project);
    else await this.#put({ ...judged, after }, state, project);
  }

  async #remove(change: Change, now: FileState | undefined, project: Folder | undefined): Promise<void> {
    const { path, before } = change;
    if (now === undefined || project === undefined || before === undefined) {
      this.#already.push(path);
      return;
    }
    const standing = await standingOf(change, { state: now, folder: project, upper: undefined });
    if (standing !== 'open') this.#leave(path, whyOther(change), now);
    else if (this.#parts.asking.waits(change)) this.#arranged.keep(path);
    else this.#arranged.remove(path, now);
  }

  async #put(change: Put, now: FileState | undefined, project: Folder | undefined): Promise<void> {
    const { path, before } = change;
    const { asking } = this.#parts;
    const { folder } = split(path);
    if (project === undefined && !this.#arranged.makes(folder)) {
      if (!asking.waitsWithFolder(change)) this.#leave(path, 'parent');
      return;
    }
    if (now === undefined && before !== undefined) {
      this.#leave(path, 'gone', undefined);
      return;
    }
    const isNew = now === undefined || project === undefined;
    const isDone = !isNew && (await this.#isDone(change, now, project));
    if (isDone === undefined) return;
    const planned = isDone ? doneSteps(change, now) : putSteps(change, now);
    if (planned.length === 0) this.#already.push(path);
    else if (asking.waits(change)) this.#arranged.keep(path);
    else if (isUnread(change, asking.saidTo(path))) this.#leave(path, 'layer_changed');
    else this.#arranged.put(change, planned, project);
  }

  /** Undefined, and left, if it is neither as the world found it nor as the layer has it. */
  async #isDone(change: Change, now: FileState, project: Folder): Promise<boolean | undefined> {
    const upper = this.#parts.upper.at(split(change.path).folder);
    const standing = await standingOf(change, { state: now, folder: project, upper });
    if (standing === 'other') this.#leave(change.path, whyOther(change), now);
    return standing === 'other' ? undefined : standing === 'done';
  }

  /** `now`: as the project is there. */
  #leave(path: BytePath, why: ConflictKind, now?: FileState): void {
    this.#conflicts.push({ path, why, ...(OVERWRITTEN.has(why) ? { found: { state: now } } : {}) });
    this.#arranged.keep(path);
  }

  /** Whether the project's own is overwritten there, as it is now. */
  #overwrites(path: BytePath, now: FileState | undefined): boolean {
    const { isOverwriting, seen } = this.#parts;
    if (!isOverwriting || seen === undefined) return isOverwriting;
    const was = seen.get(path);
    if (was === undefined || now === undefined) return seen.has(path) && was === now;
    return isUnchanged(was, now);
  }
}

/** The change as it would be if the world had found the project as it is now. */
function rebased(change: Change, now: FileState | undefined): Change {
  const { before, after, isStale } = change;
  const isFound = before === undefined ? now === undefined : now !== undefined && isUnchanged(before, now);
  if (isFound && !isStale) return change;
  return { ...change, how: howOf(now, after), before: now, isStale: false };
}

function howOf(now: FileState | undefined, after: FileState | undefined): How {
  if (after === undefined) return 'deleted';
  if (now === undefined) return 'added';
  return now.kind === after.kind ? 'modified' : 'replaced';
}

/** Whether nobody knows the bytes to which a person has said yes: they changed while they were read. */
function isUnread({ after }: Put, said: Agreed | undefined): boolean {
  return said !== undefined && after.kind === 'file' && after.sha256 === undefined;
}

function whyOther({ path, before, after, isStale }: Change): ConflictKind {
  if (after !== undefined && gitPartOf(path) === 'index') return 'git_index';
  if (isStale) return 'stale';
  return before === undefined ? 'exists' : 'changed';
}
