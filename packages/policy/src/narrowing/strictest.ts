import type { Decision } from '@subluminal/core-types';
import { type Charge, NO_CHARGE } from '../meter/charge.js';
import type { DecideResult } from '../decide/decide.js';
import type { Narrowed, Narrowing } from './narrowing.js';

/** From what lets most through to what lets least. */
const ORDER: readonly Decision['action'][] = [
  'ALLOW',
  'THROTTLE',
  'REJECT_WITH_HINT',
  'BLOCK',
  'TERMINATE_RUN',
];

/** The strictest of the answers, and what all of them charge. */
export function joined<One extends DecideResult>(
  answers: readonly [One, ...One[]],
  others: readonly Narrowing[],
): Narrowed<One> {
  const [home] = answers;
  let by = 0;
  let { decision, effective, asks } = home as DecideResult;
  answers.forEach((answer, at) => {
    if (at === 0) return;
    // Nobody is asked about what another policy refuses anyway.
    const isSettled = asks !== undefined && answer.effective.action !== 'ALLOW';
    const isStrict = isSettled || isStricter(answer.effective, effective);
    // If one only observes, what it would have refused is told.
    const wouldBe = answer.effective.action === effective.action && isStricter(answer.decision, decision);
    if (isSettled || isStricter(answer.decision, decision)) ({ decision } = answer);
    if (!isStrict && !wouldBe) return;
    by = at;
    ({ effective } = answer);
    // The policy that narrows asks nobody.
    asks = undefined;
  });
  const isAsked = asks !== undefined;
  return {
    by,
    answers,
    effective,
    decision,
    asks,
    extended: home.extended,
    tags: tagsOf(answers),
    charge: isAsked ? NO_CHARGE : chargeOf(answers, effective),
    trips: isAsked ? home.trips : tripsOf(answers, others),
  };
}

function tagsOf(answers: readonly DecideResult[]): readonly string[] {
  const [home, ...rest] = answers.map(({ tags }) => tags);
  return rest.every((tags) => tags.length === 0) ? (home ?? []) : [...new Set([home ?? [], rest].flat(2))];
}

function tripsOf(answers: readonly DecideResult[], others: readonly Narrowing[]): DecideResult['trips'] {
  return answers.flatMap(({ trips }, at) => {
    const policy = others[at - 1]?.kind;
    return policy === undefined ? trips : trips.map((trip) => ({ ...trip, policy }));
  });
}

/** Of two that make a call wait, the stricter one makes it wait longer. */
function isStricter(one: Decision, other: Decision): boolean {
  const [a, b] = [place(one), place(other)];
  return a === b ? (one.backoff_ms ?? 0) > (other.backoff_ms ?? 0) : a > b;
}

/** A decision that this version does not know lets through less than all that it knows. */
function place({ action }: Decision): number {
  const at = ORDER.indexOf(action);
  return at < 0 ? ORDER.length : at;
}

/** How little an answer lets through; more for one that would refuse, were it not for observe mode. */
export function strictness(answer: DecideResult | undefined): number {
  return answer === undefined ? -1 : place(answer.effective) * (ORDER.length + 1) + place(answer.decision);
}

/** A dedupe remembers what was allowed, and nothing else. */
function chargeOf(answers: readonly DecideResult[], { action }: Decision): Charge {
  const all = answers.flatMap(({ charge }) => charge);
  if (all.length === 0) return NO_CHARGE;
  return action === 'ALLOW' ? all : all.filter(({ kind }) => kind !== 'dedupe');
}
