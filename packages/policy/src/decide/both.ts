import type { Decision } from '@subluminal/core-types';
import type { PolicyCall } from '../match/call.js';
import { type Charge, NO_CHARGE, type PolicyOwner } from '../meter/charge.js';
import type { PolicyState } from '../meter/policy-state.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { decide, type DecideOptions, type DecideResult, explain } from './decide.js';
import { type Held, UNKNOWN_TOOL, withheld } from './withheld.js';

/** The answers of the home's policy and of the one that a run brought along, and what follows from both. */
export interface BothDecided extends DecideResult {
  /**
   * Whose answer is enforced: the stricter one's; where they are alike that of which would be without observe
   * mode, then the home's.
   */
  readonly by: PolicyOwner;
  readonly home: DecideResult;
  readonly run: DecideResult;
}

/** The question to both. A waiver is one of the home's policy. */
export interface BothOptions extends Omit<DecideOptions, 'taken'> {
  /** The tool may not be called whatever policies say. */
  readonly held?: Held | undefined;
}

/** From what lets most through to what lets least. */
const ORDER: readonly Decision['action'][] = [
  'ALLOW',
  'THROTTLE',
  'REJECT_WITH_HINT',
  'BLOCK',
  'TERMINATE_RUN',
];

/**
 * Decides a call by the home's policy and by that of its run (`runPolicy`), of which neither can loosen the
 * other: the stricter answer is enforced. Both are charged as the rules of one policy would be. They share
 * one state, and no meter in it.
 */
export function decideBoth(
  [home, run]: readonly [PolicySnapshot, PolicySnapshot],
  state: PolicyState,
  call: PolicyCall,
  now: number,
  options: BothOptions = {},
): BothDecided {
  const first = withheld(decide(home, state, call, now, options), options.held, home.mode);
  const own = decide(run, state, call, now, forRun(options, first.charge));
  const second = withheld(own, unknownIn(options), run.mode);
  return joined(first, second);
}

/** The same, with what became of every rule. */
export function explainBoth(
  [home, run]: readonly [PolicySnapshot, PolicySnapshot],
  state: PolicyState,
  call: PolicyCall,
  now: number,
  options: BothOptions = {},
): BothDecided & {
  readonly home: ReturnType<typeof explain>;
  readonly run: ReturnType<typeof explain>;
} {
  const first = withheld(explain(home, state, call, now, options), options.held, home.mode);
  const own = explain(run, state, call, now, forRun(options, first.charge));
  const second = withheld(own, unknownIn(options), run.mode);
  return { ...joined(first, second), home: first, run: second };
}

/**
 * Gives the second policy only the reason that a mode can let pass: each policy says for itself whether it
 * does.
 */
function unknownIn({ held }: BothOptions): Held | undefined {
  return held?.reason === UNKNOWN_TOOL ? held : undefined;
}

function forRun(options: BothOptions, charge: Charge): DecideOptions {
  const inWindows = charge.filter(({ kind }) => kind === 'dedupe' || kind === 'breaker');
  return {
    get inputSchema() {
      return options.inputSchema;
    },
    paid: options.paid,
    taken: inWindows.length,
  };
}

function joined(home: DecideResult, run: DecideResult): BothDecided {
  // Nobody is asked about what the run's own policy refuses anyway.
  const isSettled = home.asks !== undefined && run.effective.action !== 'ALLOW';
  const isStrict = isSettled || isStricter(run.effective, home.effective);
  // Where one only observes, what it would have refused is told.
  const wouldBe = run.effective.action === home.effective.action && isStricter(run.decision, home.decision);
  const by = isStrict || wouldBe ? 'run' : 'home';
  const effective = by === 'run' ? run.effective : home.effective;
  const isAsked = by === 'home' && home.asks !== undefined;
  return {
    by,
    home,
    run,
    effective,
    decision: isSettled || isStricter(run.decision, home.decision) ? run.decision : home.decision,
    // The policy that a run brings along asks nobody.
    asks: isAsked ? home.asks : undefined,
    extended: home.extended,
    tags: run.tags.length === 0 ? home.tags : [...new Set([...home.tags, ...run.tags])],
    charge: isAsked ? NO_CHARGE : chargeOf(home.charge, run.charge, effective),
    trips:
      isAsked || run.trips.length === 0
        ? home.trips
        : [...home.trips, ...run.trips.map((trip) => ({ ...trip, policy: 'run' as const }))],
  };
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

/** A dedupe remembers what was allowed, and nothing else. */
function chargeOf(home: Charge, run: Charge, { action }: Decision): Charge {
  if (home.length + run.length === 0) return NO_CHARGE;
  const both = run.length === 0 ? home : [...home, ...run];
  return action === 'ALLOW' ? both : both.filter(({ kind }) => kind !== 'dedupe');
}
