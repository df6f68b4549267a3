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
  const change =
    from !== undefined && to !== undefined && from in KINDS && to in KINDS
      ? `from ${KINDS[from]} to ${KINDS[to]}`
      : undefined;
  const reasons = why.map((one) =>
    one === 'kind' && change !== undefined ? `${WHY.kind}, ${change}` : WHY[one],
  );
  const begin =
    reasons.length === 0
      ? 'This stretch of work has gone on for long.'
      : `A stretch of work ended here: ${reasons.join('; ')}.`;
  const facts = [
    begin,
    `It took ${counted(actions, 'call')} in ${counted(minutes, 'minute')}.`,
    ...(failures > 0 ? [`${counted(failures, 'call')} of it failed.`] : []),
    ...(unchecked > 0 ? [`${counted(unchecked, 'change')} came after the last check that succeeded.`] : []),
  ];
  return `Subluminal, from the record: ${facts.join(' ')}`.slice(0, MAX_STEER);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
