import { randomBytes } from 'node:crypto';
import {
  type Applied,
  applyPlan,
  type BytePath,
  type CommitOf,
  type CommitPlan,
  Layer,
  type LayerAbout,
  letGo,
  pathOfText,
  pinned,
  planCommit,
  recoverCommit,
  shown,
} from '@subluminal/layers';

/** The choices of a commit. */
export interface Choice {
  readonly paths?: readonly string[];
  /** Whether a person says yes to all that is asked (default: yes). */
  readonly says?: 'yes' | 'no';
  /** Changes that the policy asks about. */
  readonly askedBy?: CommitOf['askedBy'];
  /** Something that happens between what a person is shown and their yes. */
  readonly atQuestion?: () => void | Promise<void>;
  /** Something that happens between the plan and its first step. */
  readonly meanwhile?: (plan: CommitPlan) => void;
  /** Changes that were taken over leave the layer, as if no world had it. */
  readonly purges?: boolean;
  /** Default: no. */
  readonly isOverwriting?: boolean;
}

/** A commit, in words. */
export interface Committed {
  readonly plan: CommitPlan;
  readonly applied: Applied;
  /** `why path` of each change that was left. */
  readonly left: readonly string[];
  readonly asked: readonly string[];
}

/**
 * Takes a layer over on the road of the verb, by the same functions of the package. The verb claims the layer
 * before, has the gateway record the commit, and asks on a terminal; here `says` is the answer.
 */
export async function commit(about: LayerAbout, choice: Choice = {}): Promise<Committed> {
  const layer = new Layer(about);
  try {
    recoverCommit(about.place.journal, layer.project);
    await layer.look();
    const { diff, project, upper } = layer;
    const paths = (choice.paths ?? []).map((path) => pathOfText(path));
    const { says = 'yes', askedBy = () => undefined, isOverwriting = false } = choice;
    const planOf = (agreed: CommitOf['agreed']): Promise<CommitPlan> =>
      planCommit({ diff, project, upper, paths, isOverwriting, agreed, askedBy });
    const first = await planOf([]);
    const shownToThem = says === 'yes' ? await pinned(first.waiting, layer) : [];
    await choice.atQuestion?.();
    const plan = says === 'yes' ? await planOf(shownToThem) : first;
    choice.meanwhile?.(plan);
    const token = randomBytes(16).toString('hex');
    const applied = await applyPlan(plan, { project, upper, journal: about.place.journal, token });
    if (choice.purges === true) {
      await letGo(about, layer, new Set(applied.done));
    }
    const all: readonly { readonly path: BytePath; readonly why: string }[] = [
      ...applied.conflicts,
      ...plan.refusals,
    ];
    return {
      plan,
      applied,
      left: all.map(({ why, path }) => `${why} ${shown(path)}`).toSorted(),
      asked: plan.waiting.map(({ path, risks }) => `${shown(path)}: ${risks.join(' ')}`),
    };
  } finally {
    layer.close();
  }
}
