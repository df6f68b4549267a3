import type { PolicyCall } from '../match/call.js';
import type { Charge } from '../meter/charge.js';
import type { PolicyState } from '../meter/policy-state.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { decide, type DecideOptions, type DecideResult, explain } from '../decide/decide.js';
import type { Narrowed, Narrowing } from './narrowing.js';
import { joined } from './strictest.js';
import { type Held, UNKNOWN_TOOL, withheld } from '../decide/withheld.js';

/** The question to all. A waiver is one of the home's policy. */
export interface NarrowedOptions extends Omit<DecideOptions, 'taken'> {
  /** The tool may not be called whatever policies say. */
  readonly held: Held | undefined;
  /**
   * The objects of the call as a policy that narrows reads them: the keys that it names itself count for it
   * alone, so that they raise no class and fit no allow of another.
   */
  readonly readingsOf: (snapshot: PolicySnapshot) => PolicyCall['readings'];
}

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
  options: NarrowedOptions,
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
  options: NarrowedOptions,
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
    const about = { ...call, readings: options.readingsOf(snapshot) };
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
