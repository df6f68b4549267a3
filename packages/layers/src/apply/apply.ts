import { SublError } from '@subluminal/core-types';
import { ownIdentity } from '@subluminal/ipc';
import { type BytePath, shown } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Doer } from './doer.js';
import { gitFolderOf, gitPartOf } from '../plan/git.js';
import { Journal } from './journal.js';
import type { Conflict } from '../plan/left.js';
import { clearAway, type SetAside } from './recover.js';
import type { CommitPlan, CommitStep } from '../plan/steps.js';

/** Both sides of a commit, open, and where its journal is kept. */
export interface ApplyTo {
  readonly project: Folder;
  readonly upper: Folder;
  readonly journal: string;
  /** 32 random hex digits, new for each commit. */
  readonly token: string;
}

/** The end of a commit. */
export interface Applied {
  /** Paths that the project now has as the layer has them, those among them that it had before. */
  readonly done: readonly BytePath[];
  /** All that was left, by the plan or since. */
  readonly conflicts: readonly Conflict[];
  /** No room was left in the project: some changes were not reached. */
  readonly isFull: boolean;
}

/** Steps that are on their way at once: each holds a descriptor. */
const MOST_STEPS = 512;
/** And their bytes, which are written before the first of them gets its name. */
const MOST_BYTES = 67_108_864;

/**
 * Does what is planned. Each file of the project is the old one or the new one at any moment; only where a
 * thing becomes another sort of thing its name is missing for an instant. After a kill `recoverCommit` ends
 * it. A change that cannot be made is left and told. Throws `EEXIST` if a commit was begun and not ended, and
 * the system's errors that concern the whole.
 */
export async function applyPlan(plan: CommitPlan, to: ApplyTo): Promise<Applied> {
  const holder = ownIdentity();
  const journal = Journal.begin(to.journal, { token: to.token, holder });
  const doer = new Doer(to);
  const refused = new Objects(plan);
  try {
    for (let at = 0; at < plan.steps.length;) {
      const end = endOfBatch(plan.steps, at);
      const steps = plan.steps.slice(at, end).map((step, index) => ({ ...step, number: at + index }));
      const open = steps.filter((step) => needsName(step));
      journal.open(open);
      for (const step of steps) {
        if (refused.concerns(step.path)) doer.outcome.leave(step.path, 'git_objects');
        else await doer.take(step);
      }
      await doer.finish();
      refused.add(doer.outcome.conflicts);
      if (open.length > 0) journal.shut();
      at = end;
    }
    if (plan.steps.length > 0) await doer.disk.takeAll();
    journal.end();
  } catch (error) {
    doer.drop();
    const begun = plan.steps.map(({ path }, number) => ({ path, number })).slice(0, doer.reached);
    const unplaced = clearAway({ token: to.token, open: begun.slice(-MOST_STEPS) }, to.project);
    journal.end();
    throw unplaced.length === 0 ? error : withPlaces(error, unplaced);
  } finally {
    doer.close();
  }
  const conflicts = [...plan.conflicts, ...doer.outcome.conflicts];
  return { done: [...plan.already, ...doer.outcome.done], conflicts, isFull: doer.outcome.isFull };
}

/** The error with the places of what could not be put back. */
function withPlaces(cause: unknown, unplaced: readonly SetAside[]): SublError {
  const places = unplaced.map(({ path, at }) => `\`${shown(path)}\` is kept as \`${shown(at)}\``).join(', ');
  const message = cause instanceof Error ? cause.message : String(cause);
  return new SublError('failed', message, {
    cause,
    help: `put back what others took the name of: ${places}`,
  });
}

function endOfBatch(steps: readonly CommitStep[], from: number): number {
  let bytes = 0;
  for (let at = from; at < steps.length; at += 1) {
    const step = steps[at];
    bytes += step?.does === 'put_file' ? step.from.size : 0;
    if (at > from && (at - from >= MOST_STEPS || bytes > MOST_BYTES)) return at;
  }
  return steps.length;
}

function needsName({ does }: CommitStep): boolean {
  return does === 'put_file' || does === 'put_link' || does === 'make_folder';
}

/** The repositories of git of which an object was left: what may name it is left, too. */
class Objects {
  readonly #lacking = new Set<BytePath | undefined>();
  #seen = 0;

  constructor({ conflicts, refusals }: CommitPlan) {
    for (const { path } of [...conflicts, ...refusals]) this.#look(path);
  }

  add(conflicts: readonly Conflict[]): void {
    for (const { path } of conflicts.slice(this.#seen)) this.#look(path);
    this.#seen = conflicts.length;
  }

  concerns(path: BytePath): boolean {
    if (this.#lacking.size === 0) return false;
    const part = gitPartOf(path);
    return (part === 'ref' || part === 'index') && this.#lacking.has(gitFolderOf(path));
  }

  #look(path: BytePath): void {
    if (gitPartOf(path) === 'object') this.#lacking.add(gitFolderOf(path));
  }
}
