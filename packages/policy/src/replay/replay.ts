import type { Decision } from '@subluminal/core-types';
import { NO_CHARGE, type CallEnd, type Charge } from '../meter/charge.js';
import { joinCharges } from '../meter/paid.js';
import { PolicyState } from '../meter/policy-state.js';
import { decide, type DecideResult } from '../decide/decide.js';
import { type Held, TOOL_HELD, UNKNOWN_TOOL, withheld } from '../decide/withheld.js';
import type { PlainRule } from '../snapshot/plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { differing, Doubts, isLimit } from './doubts.js';
import { Questions, type ToolQuestions } from './questions.js';
import { readingsOf } from './readings.js';
import type { RecordedCall, Replayed, RunIdentity, Ruling, UnknownBecause } from './recorded.js';

/** The state of one run. */
interface RunFold {
  readonly identity: RunIdentity;
  readonly state: PolicyState;
  /** Charges of calls that would run and have not ended. */
  readonly open: Map<number, Charge>;
  /** Breakers that count a call of which it is not known whether it would run, by its ref. */
  readonly openDoubts: Map<number, readonly string[]>;
  /** The charges of calls that others may go on with, by their ids. */
  readonly paid: Map<string, Charge>;
  readonly doubts: Doubts;
  calls: number;
  isEnded: boolean;
  mayHaveEnded: boolean;
}

/** The bounds of a replay. */
export interface ReplayBounds {
  /** Runs that go on at once; of those beyond, the one longest without a call is forgotten. Default 4,096. */
  readonly runs: number;
  /** Calls of one run without an end. Default 4,096. */
  readonly openCalls: number;
}

const BOUNDS: ReplayBounds = { runs: 4096, openCalls: 4096 };
const NOBODY = { agent_id: 'unknown', client: 'unknown', env: 'unknown' } as const;
/** How many calls of a run lie between two cleanings of its state. */
const PRUNE_EVERY = 64;

/** Stands among the missing arguments where the paths and commands of a call were not kept. */
const OBJECTS = 'paths, commands, hosts and statements';

/**
 * Lets a policy decide recorded calls anew, in their order, each run from an empty state. It knows what was
 * recorded and nothing of what an agent would have done instead: a call that is let through where it was
 * refused counts as one that goes well, and one that is refused now never ran. Where the values of arguments
 * were not kept, every value that the rules can tell apart is tried; a call whose outcome is the same for all
 * of them is known, and a limit that would have counted differently makes unknown what it may refuse from
 * then on, and nothing else.
 */
export class Replay {
  readonly #snapshot: PolicySnapshot;
  readonly #questions: Questions;
  readonly #bounds: ReplayBounds;
  readonly #runs = new Map<string, RunFold>();

  constructor(snapshot: PolicySnapshot, bounds: Partial<ReplayBounds> = {}) {
    this.#snapshot = snapshot;
    this.#questions = new Questions(snapshot);
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** A run begins. */
  begin(runId: string, identity: NonNullable<RunIdentity>): void {
    this.#add(runId, {
      identity,
      state: PolicyState.empty(),
      open: new Map(),
      openDoubts: new Map(),
      paid: new Map(),
      doubts: new Doubts(),
      calls: 0,
      isEnded: false,
      mayHaveEnded: false,
    });
  }

  /** The next call of a run. */
  call(call: RecordedCall): Replayed {
    const run = this.#runOf(call.run_id);
    if (run.isEnded) return { verdict: 'not_reached', now: null, would: null };
    if (run.identity === undefined && Object.keys(this.#snapshot.selectors).length > 0)
      return unknown('beginning');
    run.calls += 1;
    if (run.calls % PRUNE_EVERY === 0) run.state.prune(call.ts);
    const questions = this.#questions.of(call.server_name, call.tool_name);
    const known = readingsOf(call.args, questions);
    const readings = questions.objects
      ? call.readings(this.#snapshot.keysOf(call.server_name, call.tool_name))
      : undefined;
    const isBlind = questions.objects && readings === undefined;
    const all = isBlind ? undefined : known.all;
    const missing = isBlind ? [...known.unknown, OBJECTS] : known.unknown;
    const held = heldIn(call.was);
    const paid = call.continues === undefined ? undefined : run.paid.get(call.continues);
    const results = (all ?? [{ args: undefined }]).map(({ args, arg_keys }) => {
      const decided = decide(
        this.#snapshot,
        run.state,
        {
          server_name: call.server_name,
          tool_name: call.tool_name,
          args,
          arg_keys,
          args_hash: call.args_hash,
          raised: call.raised,
          readings,
          identity: run.identity ?? NOBODY,
        },
        call.ts,
        { waivers: call.waivers, paid, canAsk: true },
      );
      return withheld(decided, held, this.#snapshot.mode);
    });
    const [first] = results;
    if (first === undefined) throw new TypeError('a call has no reading at all');
    const sure = all !== undefined && sameOutcome(results);
    const doubtful = run.doubts.concern(questions, call, this.#refusedAt(first));
    const because = why(run, sure, doubtful);
    this.#noteDoubts(run, questions, results, { call, sure: because === undefined, wide: all === undefined });
    run.state.apply(first.charge, call.ts);
    const counted = joinCharges(paid ?? NO_CHARGE, first.charge);
    if (call.call_id !== undefined && counted.length > 0 && first.effective.action === 'ALLOW')
      keep(run.paid, call.call_id, counted, this.#bounds.openCalls);
    if (because !== undefined) return unknown(because, because === 'arguments' ? missing : undefined);
    this.#goOn(run, call, first);
    return told(call.was, first);
  }

  /** A call that ran has ended. `latency_ms` is read where a breaker has to know it. */
  end(runId: string, ref: number, end: CallEnd, ts: number): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    const charge = run.open.get(ref);
    if (charge !== undefined) {
      run.open.delete(ref);
      run.state.settle(charge, end, ts);
      return;
    }
    const breakers = run.openDoubts.get(ref);
    run.openDoubts.delete(ref);
    // Whether one counted this end as an error hangs on whether the call ran.
    for (const id of breakers ?? []) if (this.#mayBeError(id, end)) run.doubts.add(id);
  }

  /** A run has ended: nothing more of it comes. */
  finish(runId: string): void {
    this.#runs.delete(runId);
  }

  #goOn(run: RunFold, call: RecordedCall, { effective, charge }: DecideResult): void {
    if (effective.action === 'TERMINATE_RUN') run.isEnded = true;
    if (effective.action !== 'ALLOW' || call.was.action !== 'ALLOW') return;
    if (charge.some(({ kind }) => kind === 'breaker'))
      keep(run.open, call.ref, charge, this.#bounds.openCalls);
  }

  /** The place of the rule that refuses; behind all rules where none does. */
  #refusedAt({ decision }: DecideResult): number {
    if (decision.action === 'ALLOW' || decision.rule_id === null) return Infinity;
    return this.#snapshot.places.get(decision.rule_id) ?? Infinity;
  }

  #ruleOf(id: string): PlainRule | undefined {
    return this.#snapshot.plain.rules[this.#snapshot.places.get(id) ?? -1];
  }

  #mayBeError(ruleId: string, end: CallEnd): boolean {
    if (end.status !== 'OK') return true;
    const rule = this.#ruleOf(ruleId);
    const slow = rule?.kind === 'breaker' ? (rule.effect.breaker.latency_threshold_ms ?? 0) : 0;
    return slow > 0 && end.latency_ms > slow;
  }

  /** Notes which limits may have counted something else, and whether the run may have ended. */
  #noteDoubts(
    run: RunFold,
    { rules }: ToolQuestions,
    results: readonly DecideResult[],
    { call, sure, wide }: { readonly call: RecordedCall; readonly sure: boolean; readonly wide: boolean },
  ): void {
    for (const id of differing(results)) {
      // A dedupe that remembers this call, or does not, concerns no other arguments.
      if (this.#ruleOf(id)?.kind === 'dedupe') run.doubts.addEntry(id, call.args_hash);
      else run.doubts.add(id);
    }
    if (sure) return;
    const breakers: string[] = [];
    for (const { rule } of rules) {
      if (wide && isLimit(rule.kind)) run.doubts.add(rule.rule_id);
      // Whether the call ran decides what these two remember of it.
      if (rule.kind === 'dedupe') run.doubts.addEntry(rule.rule_id, call.args_hash);
      if (rule.kind === 'breaker') breakers.push(rule.rule_id);
    }
    if (breakers.length > 0 && call.was.action === 'ALLOW')
      keep(run.openDoubts, call.ref, breakers, this.#bounds.openCalls);
    const ends = ({ effective }: DecideResult): boolean => effective.action === 'TERMINATE_RUN';
    const mayEnd = rules.some(({ rule }) => canEnd(rule) && (wide || run.doubts.has(rule.rule_id)));
    if (this.#snapshot.mode !== 'observe' && (results.some(ends) || mayEnd)) run.mayHaveEnded = true;
  }

  #runOf(runId: string): RunFold {
    const found = this.#runs.get(runId);
    if (found !== undefined) {
      this.#runs.delete(runId);
      this.#runs.set(runId, found);
      return found;
    }
    const limits = this.#snapshot.plain.rules.filter(({ kind }) => isLimit(kind));
    const run: RunFold = {
      identity: undefined,
      state: PolicyState.empty(),
      open: new Map(),
      openDoubts: new Map(),
      paid: new Map(),
      doubts: new Doubts(limits),
      calls: 0,
      isEnded: false,
      mayHaveEnded: limits.some(canEnd) && this.#snapshot.mode !== 'observe',
    };
    this.#add(runId, run);
    return run;
  }

  #add(runId: string, run: RunFold): void {
    this.#runs.set(runId, run);
    if (this.#runs.size > this.#bounds.runs) dropOldest(this.#runs);
  }
}

/**
 * A tool that was held, or that nobody had listed, was so under any policy. It would be so under another one.
 */
function heldIn({ rule_id: ruleId, reason_code: reason }: Ruling): Held | undefined {
  if (ruleId !== null) return undefined;
  if (reason === TOOL_HELD) return { reason, summary: 'the tool was held' };
  return reason === UNKNOWN_TOOL ? { reason, summary: 'its server never listed the tool' } : undefined;
}

function why(run: RunFold, isSure: boolean, isDoubtful: boolean): UnknownBecause | undefined {
  const late: UnknownBecause = run.identity === undefined ? 'beginning' : 'limit';
  if (run.mayHaveEnded) return run.identity === undefined ? 'beginning' : 'run';
  if (!isSure) return 'arguments';
  return isDoubtful ? late : undefined;
}

function canEnd(rule: PlainRule): boolean {
  if (!rule.enabled) return false;
  if (rule.kind === 'budget') return rule.effect.budget.on_exceed === 'TERMINATE_RUN';
  return rule.kind === 'breaker' && rule.effect.breaker.on_trip === 'TERMINATE_RUN';
}

function sameOutcome(results: readonly DecideResult[]): boolean {
  const [first, ...others] = results;
  return others.every(
    ({ decision, effective }) =>
      effective.action === first?.effective.action &&
      decision.action === first.decision.action &&
      decision.rule_id === first.decision.rule_id,
  );
}

function told(was: Ruling, { decision, effective }: DecideResult): Replayed {
  const now = { ...rulingOf(effective), summary: effective.summary };
  const would = decision.action === effective.action ? null : rulingOf(decision);
  return { verdict: verdictOf(was.action, now.action), now, would };
}

function verdictOf(was: Decision['action'], now: Decision['action']): Replayed['verdict'] {
  if (was === now) return 'same';
  if (was === 'ALLOW') return 'newly_blocked';
  return now === 'ALLOW' ? 'newly_allowed' : 'changed';
}

function rulingOf({ action, rule_id, reason_code }: Decision): Ruling {
  return { action, rule_id, reason_code };
}

function unknown(because: UnknownBecause, missing?: readonly string[]): Replayed {
  return {
    verdict: 'unknown',
    now: null,
    would: null,
    because,
    ...(missing === undefined ? {} : { missing }),
  };
}

function keep<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.set(key, value);
  if (map.size > max) dropOldest(map);
}

function dropOldest(map: Map<unknown, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
