import type { SignWhy } from '../signals/signal.js';
import type { PlaneWindow } from '../window/window.js';

/** The longest text of a steer, in characters. */
export const MAX_STEER = 600;

const WHY: Readonly<Record<SignWhy, string>> = {
  compaction: 'the context was compacted',
  failing: 'more calls fail than not',
  kind: 'the kind of work has changed',
  module: 'the work has moved to another module',
  protected: 'a call is protected by the policy',
  repeating: 'one call is made again and again',
  repository: 'the work has moved to another repository',
  task: 'something else was asked for',
};

const KINDS: Readonly<Record<string, string>> = {
  change: 'changing',
  check: 'checking',
  deliver: 'delivering',
  explore: 'looking around',
};

/** A text is made of these: words of this file and numbers of the state, nothing that an agent wrote. */
export interface SteerFacts {
  readonly window: PlaneWindow;
  /** Empty where the window ran out. */
  readonly why: readonly SignWhy[];
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly nowMs: number;
}

/** The text of a steer: facts in sentences, no order. At most `MAX_STEER` characters. */
export function steerText({ from, nowMs, to, why, window }: SteerFacts): string {
  const { actions, failures, sinceMs, unchecked } = window;
  const minutes = Math.max(1, Math.round((nowMs - sinceMs) / 60_000));
  const begin =
    why.length === 0
      ? 'This stretch of work has gone on for long.'
      : `A stretch of work ended here: ${reasonText(why, from, to)}.`;
  const facts = [
    begin,
    `It took ${counted(actions, 'call')} in ${counted(minutes, 'minute')}.`,
    ...(failures > 0 ? [`${counted(failures, 'call')} of it failed.`] : []),
    ...(unchecked > 0 ? [`${counted(unchecked, 'change')} came after the last check that succeeded.`] : []),
  ];
  return `Subluminal, from the record: ${facts.join(' ')}`.slice(0, MAX_STEER);
}

/** The reasons of a boundary in words. `from` and `to` are the kinds of work, if these changed. */
export function reasonText(
  why: readonly SignWhy[],
  from: string | undefined,
  to: string | undefined,
): string {
  const isShift = from !== undefined && to !== undefined && from in KINDS && to in KINDS;
  const shift = isShift ? `, from ${KINDS[from]} to ${KINDS[to]}` : '';
  return why.map((one) => (one === 'kind' ? `${WHY.kind}${shift}` : WHY[one])).join('; ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
