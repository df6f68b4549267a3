import * as z from 'zod';
import type { Action } from '../event.js';
import { checksWork } from '../work/checks.js';
import { isShell, kindOf } from '../work/kind.js';
import { WORK_KINDS, type WorkKind } from '../work/work-kinds.js';
import { riskier, tierOf, tierSchema, type Terms } from './terms.js';

const count = z.int().min(0);

/**
 * A coherent stretch of work, from one boundary to the next. It licenses nothing: it is a span of the record,
 * with what happened in it in numbers.
 */
export const windowSchema = z.strictObject({
  /** From 1, in the order of one state. */
  number: count,
  sinceMs: count,
  tier: tierSchema,
  actions: count,
  failures: count,
  protected: count,
  kinds: z.strictObject({ change: count, check: count, deliver: count, explore: count, other: count }),
  /** Changes since the work was last checked, and that ended well. */
  unchecked: count,
  /** The mechanism whose evidence came in it; null without one. */
  checkpoint: z.union([z.string().max(64), z.null()]),
});

export type PlaneWindow = Readonly<z.infer<typeof windowSchema>>;

/** A window that begins now. A change that was not checked before it is still not checked. */
export function opened(number: number, sinceMs: number, unchecked: number): PlaneWindow {
  return {
    number,
    sinceMs,
    tier: 'low',
    actions: 0,
    failures: 0,
    protected: 0,
    kinds: { change: 0, check: 0, deliver: 0, explore: 0, other: 0 },
    unchecked,
    checkpoint: null,
  };
}

/** The window with one action more. */
export function counted(window: PlaneWindow, action: Action): PlaneWindow {
  const kind = kindOf(action);
  const isFailed = action.status === 'failed' || action.status === 'refused';
  return {
    ...window,
    tier: riskier(window.tier, tierOf(action)),
    actions: window.actions + 1,
    failures: window.failures + (isFailed ? 1 : 0),
    protected: window.protected + (action.isProtected === true ? 1 : 0),
    kinds: { ...window.kinds, [kind]: window.kinds[kind] + 1 },
    unchecked: uncheckedAfter(window.unchecked, action, kind),
  };
}

/** A client that does not tell how a command ended clears nothing: nobody knows that the check was good. */
function uncheckedAfter(unchecked: number, { status, target, tool }: Action, kind: WorkKind): number {
  if (status === 'refused') return unchecked;
  if (kind === 'change') return unchecked + 1;
  return status === 'ok' && isShell(tool) && checksWork(target ?? '') ? 0 : unchecked;
}

/** Whether it has gone as far as its terms let it. Without times the actions count alone. */
export function isSpent(window: PlaneWindow, { actions, ms }: Terms, nowMs: number | undefined): boolean {
  return window.actions >= actions || (nowMs !== undefined && nowMs - window.sinceMs >= ms);
}

/** The kind of work that most of its actions are. */
export function mostly({ kinds }: PlaneWindow): WorkKind {
  return WORK_KINDS.reduce<WorkKind>((most, kind) => (kinds[kind] > kinds[most] ? kind : most), 'explore');
}
