import type { Change, FileState } from '../diff/change.js';
import { type BytePath, namesOf, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import type { Folders } from '../files/folders.js';
import { stateOf } from '../files/state.js';
import { deniedBy } from './denied.js';
import { gitPartOf } from './git.js';
import type { Conflict, ConflictKind, Refusal, RefusalKind } from './left.js';
import { leadsOut } from './link.js';
import { isWhole, modeOf, withOwner } from './modes.js';
import { Removals } from './removals.js';
import type { Risks } from '../risk/risks.js';
import { standingOf } from './standing.js';
import type { Ask, CommitPlan, CommitStep } from './steps.js';

interface PlannerParts {
  readonly project: Folders;
  readonly upper: Folders;
  readonly risks: Risks;
  readonly withRisky: boolean;
  readonly askedBy: (change: Change) => string | undefined;
}

/** Why a person is asked. */
type Reasons = Pick<Ask, 'risks' | 'pattern'>;

/** Names that the commit gives to files on their way. */
const OWN_NAME = /^\.sub-/;
/** A file may have holes of so many bytes in all. */
const MOST_HOLE = 1_073_741_824n;
const BLOCK_BYTES = 512n;

/** Plans one change after the other, folders before what stands in them. */
export class Planner {
  readonly #parts: PlannerParts;
  readonly #removals: Removals;
  /** Folders come first, those above objects of git among them. */
  readonly #folders: CommitStep[] = [];
  readonly #objects: CommitStep[] = [];
  readonly #main: CommitStep[] = [];
  readonly #refs: CommitStep[] = [];
  /** Permissions that would be in the way until all is done. */
  readonly #last: CommitStep[] = [];
  /** Folders that are going to be made, and whether they take over the group of the folder above. */
  readonly #made = new Map<BytePath, boolean>();
  /** Folders that are not made, since a person has to be asked. */
  readonly #held = new Map<BytePath, Reasons>();
  readonly #conflicts: Conflict[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #already: BytePath[] = [];
  readonly #asks: Ask[] = [];
  readonly #kept: BytePath[] = [];
  readonly #stripped: BytePath[] = [];

  constructor(parts: PlannerParts) {
    this.#parts = parts;
    this.#removals = new Removals(parts.project);
  }

  get plan(): Omit<CommitPlan, 'isPartial'> {
    const { opened, first, later, refs, conflicts } = this.#removals.settle();
    const isLeft = new Set(conflicts.map(({ path }) => path));
    const puts = [...this.#objects, ...this.#main].filter(({ path }) => !isLeft.has(path));
    const before = [...opened, ...this.#folders, ...first];
    return {
      steps: [...before, ...puts, ...later, ...this.#refs, ...refs, ...this.#last.toReversed()],
      already: this.#already,
      conflicts: [...this.#conflicts, ...conflicts],
      refusals: this.#refusals,
      asks: this.#asks,
      kept: this.#kept,
      stripped: this.#stripped,
    };
  }

  take(change: Change): void {
    const { path, before, after } = change;
    try {
      this.#decide(change);
    } catch (error) {
      const system = deniedBy(error);
      if (system === undefined) throw error;
      this.#conflicts.push({ path, why: 'denied', system });
      this.#removals.keep(path);
    }
    const isReplaced = before?.kind === 'folder' && after !== undefined && after.kind !== 'folder';
    if (isReplaced) this.#removals.replace(path);
  }

  #decide(change: Change): void {
    const { path, after } = change;
    if (isKept(change)) {
      this.#kept.push(path);
      this.#removals.keep(path);
      return;
    }
    const { folder, name } = split(path);
    const refused = refusalOf(change, () => this.#parts.upper.at(folder));
    if (refused !== undefined) {
      this.#refusals.push({ path, why: refused });
      this.#removals.keep(path);
      return;
    }
    const project = this.#parts.project.at(folder);
    const state = project === undefined ? undefined : stateOf(project, name);
    if (after === undefined) this.#remove(change, state, project);
    else this.#put({ ...change, after }, state, project);
  }

  #remove(change: Change, now: FileState | undefined, project: Folder | undefined): void {
    const { path, before } = change;
    if (now === undefined || project === undefined || before === undefined) {
      this.#already.push(path);
      return;
    }
    if (!this.#isOpen(change, now, project)) return;
    if (this.#isAsked(change)) {
      this.#removals.keep(path);
      return;
    }
    this.#removals.add(path, now);
  }

  #put(
    change: Change & { readonly after: FileState },
    now: FileState | undefined,
    project: Folder | undefined,
  ): void {
    const { path, before, how } = change;
    const { folder } = split(path);
    if (project === undefined && !this.#made.has(folder)) {
      const reasons = this.#held.get(folder);
      if (reasons === undefined) this.#leave(path, 'parent');
      else this.#hold(change, reasons);
      return;
    }
    if (now === undefined && before !== undefined && how !== 'added') {
      this.#leave(path, 'gone');
      return;
    }
    const isNew = now === undefined || project === undefined;
    const isDone = !isNew && this.#isDone(change, now, project);
    if (isDone === undefined) return;
    const planned = isDone ? doneSteps(change, now) : putSteps(change, now);
    if (planned.length === 0) {
      this.#already.push(path);
      return;
    }
    if (this.#isAsked(change)) {
      this.#removals.keep(path);
      return;
    }
    this.#add(change, planned, project);
  }

  #add(
    change: Change & { readonly after: FileState },
    planned: readonly CommitStep[],
    project: Folder | undefined,
  ): void {
    const { path, after } = change;
    const part = gitPartOf(path);
    const isObject = part === 'object' || part === 'object_folder';
    const isRef = part === 'ref' || part === 'index';
    const ofFile = isObject ? this.#objects : isRef ? this.#refs : this.#main;
    const steps = after.kind === 'folder' ? this.#folders : ofFile;
    for (const step of planned) {
      if (step.does === 'make_folder') this.#made.set(path, this.#takesGroup(path, project));
      if (
        (step.does === 'make_folder' || step.does === 'set_mode') &&
        after.kind === 'folder' &&
        !isWhole(step.mode)
      ) {
        steps.push({ ...step, mode: withOwner(step.mode) });
        this.#last.push({ does: 'set_mode', path, mode: step.mode, now: step.now });
      } else steps.push(step);
    }
    if (losesBits(change, this.#takesGroup(path, project))) this.#stripped.push(path);
  }

  /** Undefined, and left, if it is neither as the world found it nor as the layer has it. */
  #isDone(change: Change, now: FileState, project: Folder): boolean | undefined {
    const upper = this.#parts.upper.at(split(change.path).folder);
    const standing = standingOf(change, { state: now, folder: project, upper });
    if (standing === 'other') this.#leave(change.path, whyOther(change));
    return standing === 'other' ? undefined : standing === 'done';
  }

  #isOpen(change: Change, now: FileState, project: Folder): boolean {
    const standing = standingOf(change, { state: now, folder: project, upper: undefined });
    if (standing !== 'open') this.#leave(change.path, whyOther(change));
    return standing === 'open';
  }

  #leave(path: BytePath, why: ConflictKind): void {
    this.#conflicts.push({ path, why });
    this.#removals.keep(path);
  }

  /** Whether it has to wait for a person's yes. */
  #isAsked(change: Change): boolean {
    const { askedBy, risks, withRisky } = this.#parts;
    const above = this.#held.get(split(change.path).folder);
    const reasons = above ?? { risks: risks.of(change), pattern: askedBy(change) };
    if (reasons.risks.length === 0 && reasons.pattern === undefined) return false;
    if (withRisky) {
      this.#asks.push({ path: change.path, ...reasons });
      return false;
    }
    this.#hold(change, reasons);
    return true;
  }

  #hold(change: Change, reasons: Reasons): void {
    this.#asks.push({ path: change.path, ...reasons });
    const isMade = change.after?.kind === 'folder' && change.before?.kind !== 'folder';
    if (isMade) this.#held.set(change.path, reasons);
  }

  #takesGroup(path: BytePath, project: Folder | undefined): boolean {
    const { folder } = split(path);
    return this.#made.get(folder) ?? (project !== undefined && (project.stats.mode & 0o2000n) !== 0n);
  }
}

/** Objects, which git names by their content, are added alone, and files that it has in work are its own. */
function isKept({ path, how }: Change): boolean {
  const part = gitPartOf(path);
  if (part === 'passing') return true;
  return (
    (part === 'object' || part === 'object_folder') &&
    (how === 'deleted' || how === 'mode' || how === 'touched')
  );
}

function refusalOf({ path, how, after }: Change, upper: () => Folder | undefined): RefusalKind | undefined {
  const names = namesOf(path);
  const isNone =
    path === '' || names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0'));
  if (isNone || names.some((name) => OWN_NAME.test(name))) return 'name';
  if (after === undefined) return undefined;
  if (after.kind === 'other') return 'special';
  if (after.kind === 'link' && (after.target === undefined || leadsOut(path, after.target)))
    return 'leads_out';
  if (how !== 'added' && gitPartOf(path) === 'object') return 'git_object';
  if (after.kind !== 'file' || BigInt(after.size) <= MOST_HOLE) return undefined;
  const blocks = upper()?.look(split(path).name)?.blocks ?? 0n;
  return BigInt(after.size) - blocks * BLOCK_BYTES > MOST_HOLE ? 'hole' : undefined;
}

function whyOther({ path, before, after, isStale }: Change): ConflictKind {
  if (after !== undefined && gitPartOf(path) === 'index') return 'git_index';
  if (isStale) return 'stale';
  return before === undefined ? 'exists' : 'changed';
}

/** The bytes are there already. Their permissions may not be. */
function doneSteps(
  { path, before, after }: Change & { readonly after: FileState },
  now: FileState | undefined,
): CommitStep[] {
  if (now === undefined || after.kind === 'link' || after.kind === 'other') return [];
  // It is the project that has other ones since.
  if (before === undefined ? after.kind === 'folder' : before.mode === after.mode) return [];
  const mode = modeOf({ after, now, before });
  return mode === (now.mode & 0o7777) ? [] : [{ does: 'set_mode', path, now, mode }];
}

function putSteps(
  { path, how, before, after }: Change & { readonly after: FileState },
  now: FileState | undefined,
): CommitStep[] {
  const mode = modeOf({ before, after, now });
  if (after.kind === 'link') return [{ does: 'put_link', path, now, target: after.target ?? path }];
  if (after.kind === 'folder')
    return now?.kind === 'folder'
      ? [{ does: 'set_mode', path, now, mode }]
      : [{ does: 'make_folder', path, now, mode }];
  const isSameBytes = now?.kind === 'file' && (how === 'mode' || how === 'touched');
  if (!isSameBytes) return [{ does: 'put_file', path, now, from: after, mode }];
  const isSameMode = mode === (now.mode & 0o7777);
  return [
    ...(isSameMode ? [] : [{ does: 'set_mode', path, now, mode } as const]),
    ...(before?.modifiedAt === after.modifiedAt
      ? []
      : // The first step changes what the second would compare with.
        [
          {
            does: 'set_time',
            path,
            now: isSameMode ? now : undefined,
            modifiedAt: after.modifiedAt,
          } as const,
        ]),
  ];
}

function losesBits({ before, after }: Change, takesGroup: boolean): boolean {
  if (after === undefined || (after.kind !== 'file' && after.kind !== 'folder')) return false;
  const bits = after.mode & 0o6000;
  if (after.kind === 'file') return bits !== 0;
  const known = (before?.kind === 'folder' ? before.mode & 0o6000 : 0) | (takesGroup ? 0o2000 : 0);
  return (bits & ~known) !== 0;
}
