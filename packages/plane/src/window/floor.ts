import * as z from 'zod';

/** The distance that boundaries keep. */
export interface FloorTerms {
  /** Actions from one boundary to the next. */
  readonly actions: number;
  /** The same in milliseconds. */
  readonly ms: number;
}

/** The price of a boundary, and the most that may be owed: a quick row of them passes, a toll does not. */
const COSTS = 8;
const MOST_OWED = 24;

const part = z.strictObject({
  /** Actions since the last boundary of this tier. */
  actions: z.int().min(0).max(1024),
  atMs: z.int().min(0),
  /** Falls by one with each action. */
  owed: z
    .int()
    .min(0)
    .max(MOST_OWED + COSTS),
});

export const floorSchema = z.strictObject({ ordinary: part, protected: part });

export type Floor = Readonly<z.infer<typeof floorSchema>>;

const FRESH: Floor['ordinary'] = { actions: 1024, atMs: 0, owed: 0 };

/** Nothing has been drawn yet. */
export const START_FLOOR: Floor = { ordinary: FRESH, protected: FRESH };

/** One action further. */
export function stepped({ ordinary, protected: risky }: Floor): Floor {
  return { ordinary: further(ordinary), protected: further(risky) };
}

function further({ actions, atMs, owed }: Floor['ordinary']): Floor['ordinary'] {
  return { actions: Math.min(1024, actions + 1), atMs, owed: Math.max(0, owed - 1) };
}

/** A person has said something: what was owed is forgiven, the floor itself stays. */
export function forgiven(floor: Floor): Floor {
  return { ...floor, ordinary: { ...floor.ordinary, owed: 0 } };
}

/** Whether a boundary may be drawn now. Without times the actions count alone. */
export function lets(
  floor: Floor,
  isProtected: boolean,
  terms: FloorTerms,
  nowMs: number | undefined,
): boolean {
  const { actions, atMs, owed } = isProtected ? floor.protected : floor.ordinary;
  const isLater = nowMs === undefined || atMs === 0 || nowMs - atMs >= terms.ms;
  return actions >= terms.actions && isLater && owed + COSTS <= MOST_OWED;
}

/** Drawn: a protected boundary holds back both tiers, an ordinary one its own. */
export function drawn(floor: Floor, isProtected: boolean, nowMs: number): Floor {
  const paid = ({ owed }: Floor['ordinary']): Floor['ordinary'] => ({
    actions: 0,
    atMs: nowMs,
    owed: owed + COSTS,
  });
  return {
    ordinary: paid(floor.ordinary),
    protected: isProtected ? paid(floor.protected) : floor.protected,
  };
}
