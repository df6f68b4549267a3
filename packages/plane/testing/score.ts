import type { PlaneEntry } from '../src/entries.js';
import { fold } from '../src/fold.js';
import type { PlaneSettings } from '../src/settings.js';
import { startOfState } from '../src/state.js';
import type { LabelledSession } from './read-sessions.js';

/** A detector that waits until a change has lasted may come so many events late, and one early. */
const EARLY = 1;
const LATE = 4;

/** Time between two events that nobody works in. */
const IDLE_MS = 300_000;

/** A detector's work on sessions. */
export interface Score {
  readonly drawn: number;
  readonly labelled: number;
  readonly right: number;
  readonly steers: number;
  readonly falseSteers: number;
  readonly hours: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/**
 * Compares boundaries with labels; each label answers for one boundary. Nobody is in the hold-out here.
 * `foldOf` gives the fold of a session.
 */
export function score(
  sessions: readonly LabelledSession[],
  settings: PlaneSettings,
  foldOf: () => typeof fold = () => fold,
): Score {
  const parts = sessions.map((session) => scoreOne(session, settings, foldOf()));
  const sum = (of: (part: Score) => number): number => parts.reduce((all, part) => all + of(part), 0);
  return {
    drawn: sum((part) => part.drawn),
    labelled: sum((part) => part.labelled),
    right: sum((part) => part.right),
    steers: sum((part) => part.steers),
    falseSteers: sum((part) => part.falseSteers),
    hours: sum((part) => part.hours),
    missed: parts.flatMap((part) => part.missed),
    wrong: parts.flatMap((part) => part.wrong),
  };
}

function scoreOne(
  { events, id, labels }: LabelledSession,
  settings: PlaneSettings,
  folds: typeof fold,
): Score {
  const identity = { client: 'claude', session: id, repository: '/w/here', agent: '' };
  let state = { ...startOfState(identity, ''), isHeldOut: false };
  const told: { readonly at: number; readonly entries: readonly PlaneEntry[] }[] = [];
  events.forEach((event, at) => {
    const folded = folds(state, event, settings);
    state = folded.state;
    told.push({ at, entries: folded.entries });
  });
  const drawn = told.flatMap(({ at, entries }) =>
    entries.flatMap((entry) => (entry.type === 'plane.boundary' ? [{ at, why: entry.why.join('+') }] : [])),
  );
  const steers = told.flatMap(({ at, entries }) =>
    entries.some((entry) => entry.type === 'plane.steer') ? [at] : [],
  );
  const open = [...labels];
  const answered = new Map<number, number>();
  for (const { at } of drawn) {
    const found = open.findIndex((label) => at >= label.at - EARLY && at <= label.at + LATE);
    const label = open[found];
    if (label === undefined) continue;
    answered.set(at, label.at);
    open.splice(found, 1);
  }
  const isLoop = (at: number): boolean => labels.findLast((label) => label.at <= at)?.why === 'loop';
  return {
    drawn: drawn.length,
    labelled: labels.length,
    right: answered.size,
    steers: steers.length,
    falseSteers: steers.filter((at) => !answered.has(at) && !isLoop(at)).length,
    hours: workedMs(events.map(({ atMs }) => atMs)) / 3_600_000,
    missed: open.map((label) => `${id}@${label.at} ${label.why}`),
    wrong: drawn.filter(({ at }) => !answered.has(at)).map(({ at, why }) => `${id}@${at} ${why}`),
  };
}

function workedMs(times: readonly number[]): number {
  return times.reduce((all, time, at) => all + Math.min(IDLE_MS, time - (times[at - 1] ?? time)), 0);
}

/** Of what was drawn, how much was right. */
export const precision = ({ drawn, right }: Score): number => (drawn === 0 ? 1 : right / drawn);

/** Of what was marked, how much was found. */
export const recall = ({ labelled, right }: Score): number => (labelled === 0 ? 1 : right / labelled);
