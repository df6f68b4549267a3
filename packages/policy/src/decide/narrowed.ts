import type { Decision } from '@subluminal/core-types';
import type { PolicyCall } from '../match/call.js';
import { type Charge, type PolicyKind, NO_CHARGE } from '../meter/charge.js';
import type { PolicyState } from '../meter/policy-state.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { decide, type DecideOptions, type DecideResult, explain } from './decide.js';
import { type Held, UNKNOWN_TOOL, withheld } from './withheld.js';

/**
 * A policy beside that of the home, made by `runPolicy` or `projectPolicy`. It takes away, and never gives.
 */
export interface Narrowing {
  readonly kind: Exclude<PolicyKind, 'home'>;
  readonly snapshot: PolicySnapshot;
}

/** The answers of the home's policy and of those that narrow it, and what follows from all of them. */
export interface Narrowed<One extends DecideResult = DecideResult> extends DecideResult {
  /**
   * Whose answer is enforced, as a place in `answers`: the strictest; of those that are alike that of which
   * would be without observe mode, then the first.
   */
  readonly by: number;
  /** That of the home first, the others in their order. */
  readonly answers: readonly [One, ...One[]];
}

/** The question to all. A waiver is one of the home's policy. */
export interface NarrowedOptions extends Omit<DecideOptions, 'taken'> {
  /** The tool may not be called whatever policies say. */
  readonly held?: Held | undefined;
  /**
   * The objects of the call as a policy that narrows reads them: the keys that it names itself count for it
   * alone, so that they raise no class and fit no allow of another. Left out all have those of the call.
   */
  readonly readingsOf?: ((snapshot: PolicySnapshot) => PolicyCall['readings']) | undefined;
}

/** From what lets most through to what lets least. */
const ORDER: readonly Decision['action'][] = [
  'ALLOW',
  'THROTTLE',
  'REJECT_WITH_HINT',
  'BLOCK',
  'TERMINATE_RUN',
];

type Ask<One extends DecideResult> = (
  snapshot: PolicySnapshot,
  state: PolicyState,
  call: PolicyCall,
  now: number,
  options: DecideOptions,
) => One;

/**
 * Decides a call by the home's policy and by those that narrow it, of which none can loosen another: the
 * strictest answer is enforced. All are charged as the rules of one policy would be. They share one state,
 * and no meter in it.
 */
export function decideNarrowed(
  home: PolicySnapshot,
  others: readonly Narrowing[],
  state: PolicyState,
  call: PolicyCall,
  now: number,
  options: NarrowedOptions = {},
): Narrowed {
  return narrowed(decide, home, others, [state, call, now, options]);
}

/** The same, with what became of every rule. */
export function explainNarrowed(
  home: PolicySnapshot,
  others: readonly Narrowing[],
  state: PolicyState,
  call: PolicyCall,
  now: number,
  options: NarrowedOptions = {},
): Narrowed<ReturnType<typeof explain>> {
  return narrowed(explain, home, others, [state, call, now, options]);
}

function narrowed<One extends DecideResult>(
  ask: Ask<One>,
  home: PolicySnapshot,
  others: readonly Narrowing[],
  [state, call, now, options]: readonly [PolicyState, PolicyCall, number, NarrowedOptions],
): Narrowed<One> {
  const first = withheld(ask(home, state, call, now, options), options.held, home.mode);
  const answers: [One, ...One[]] = [first];
  let taken = placesIn(first.charge);
  for (const { snapshot } of others) {
    const { readingsOf } = options;
    const about = readingsOf === undefined ? call : { ...call, readings: readingsOf(snapshot) };
    const own = ask(snapshot, state, about, now, narrowing(options, taken));
    const answer = withheld(own, unknownIn(options), snapshot.mode);
    taken += placesIn(answer.charge);
    answers.push(answer);
  }
  return joined(answers, others);
}

/**
 * Gives the other policies only the reason that a mode can let pass: each policy says for itself whether it
 * does.
 */
function unknownIn({ held }: NarrowedOptions): Held | undefined {
  return held?.reason === UNKNOWN_TOOL ? held : undefined;
}

function narrowing(options: NarrowedOptions, taken: number): DecideOptions {
  return {
    get inputSchema() {
      return options.inputSchema;
    },
    paid: options.paid,
    taken,
  };
}

/** The places in windows that a charge takes. */
function placesIn(charge: Charge): number {
  return charge.filter(({ kind }) => kind === 'dedupe' || kind === 'breaker').length;
}

function joined<One extends DecideResult>(
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
