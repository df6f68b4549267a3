import { redact, sha256Hex, type JsonValue } from '@subluminal/core-types';
import type { PolicyCall } from '../match/call.js';
import type { Facts } from '../match/condition.js';
import type { Amount } from '../meter/amount.js';
import type { ChargeItem, Scope } from '../meter/charge.js';
import type { Paid } from '../meter/paid.js';
import type { PolicyState } from '../meter/policy-state.js';
import type { CompiledAsk, CompiledDeny, CompiledLimit } from '../snapshot/rule.js';
import type { Raise } from './raise.js';
import type { TraceStep } from './trace.js';
import type { Verdict } from './verdict.js';

/** No longer part of a name stands in a key. */
const MAX_NAME = 64;

/** Why a limit refuses a call. */
export type LimitReason =
  | 'BUDGET_EXCEEDED'
  | 'COST_UNKNOWN'
  | 'RATE_LIMITED'
  | 'BREAKER_ERRORS'
  | 'BREAKER_REPEATS'
  | 'DUPLICATE_CALL'
  | 'LIMIT_STATE_FULL';

/** A limit that refuses a call, and what there is to say of it. */
export interface LimitRefusal {
  readonly by: 'limit';
  readonly rule: CompiledLimit;
  readonly reason: LimitReason;
  /** How long it is until the same call may pass; undefined where waiting does not help, or nobody knows. */
  readonly waitMs?: number;
  /** Which of a budget's limits, what it counted and what this call would add. */
  readonly budget?: {
    readonly unit: 'calls' | 'write actions' | 'cost units';
    readonly used: Amount;
    readonly limit: number;
    readonly cost: Amount;
    readonly left: JsonValue;
  };
}

/** The refusal of a call: by a limit, a deny, or a rule that failed. */
export type Refusal =
  | LimitRefusal
  | { readonly by: 'deny'; readonly rule: CompiledDeny }
  | { readonly by: 'error'; readonly verdict: Verdict };

/** A breaker that was closed for a call's scope and trips by this call. */
export interface Trip {
  readonly rule_id: string;
  readonly reason_code: 'BREAKER_ERRORS' | 'BREAKER_REPEATS';
  readonly scope: Scope;
  /** So many errors or repeats within the window tripped it. */
  readonly limit: number;
  readonly window_ms: number;
  /** It stands in a policy that narrows that of the home. */
  readonly policy?: 'run' | 'project';
}

/** One pass over the rules for one call. */
export class Round implements Facts {
  readonly tags: string[];
  readonly possibleTags: string[] = [];
  /** Places of rules that do not hold for this call. */
  readonly lifted: number[] = [];
  readonly charge: ChargeItem[] = [];
  readonly trips: Trip[] = [];
  /** The first allow, and the first refusal, in the order of the file. */
  allow: Verdict | undefined;
  refusal: Refusal | undefined;
  /** The first rule that has a person asked. It counts where nothing refuses. */
  asked: Pick<CompiledAsk, 'instead' | 'rule_id' | 'severity' | 'summary'> | undefined;
  /** Budgets that let the call pass by what a person has added to them. */
  extended: readonly string[] | undefined;
  /** The yeses of people to budgets. They are read where a budget is used up, and not before. */
  raising: { readonly raises?: readonly Raise[] | undefined } = {};
  /** Whether an access rule has decided, so that no other is asked. */
  isAccessDecided = false;
  /** The charges of the calls that this one goes on with. */
  paid: Paid | undefined;
  /** The limit that was asked last has counted them for the same. */
  wasPaid = false;
  /** Places in windows that the charge needs. */
  places = 0;
  readonly state: PolicyState;
  readonly call: PolicyCall;
  /** The clock's time, and the time for the state, whose times never go back. */
  readonly now: number;
  readonly time: number;
  /** Where a call is explained. */
  readonly steps: TraceStep[] | undefined;
  #serverTool: string | undefined;
  #toolKey: string | undefined;
  #serverToolKey: string | undefined;
  #toolEntry: string | undefined;
  #serverToolEntry: string | undefined;

  constructor(state: PolicyState, call: PolicyCall, now: number, steps: TraceStep[] | undefined) {
    this.state = state;
    this.call = call;
    this.now = now;
    this.steps = steps;
    this.time = state.timeOf(now);
    this.tags = call.raised === undefined ? [] : [...call.raised];
  }

  /**
   * The key that the call is counted under. Charges are recorded: a name that looks like a credential stands
   * in none.
   */
  key(scope: Scope): string {
    if (scope === 'run') return '';
    const { server_name: server, tool_name: tool } = this.call;
    if (scope === 'tool') return (this.#toolKey ??= recordable(tool));
    return (this.#serverToolKey ??= placed(recordable(server), recordable(tool)));
  }

  /** The same call again within a scope, by its arguments. */
  entry(scope: Scope): string {
    if (scope === 'run') return this.call.args_hash;
    if (scope === 'tool') return (this.#toolEntry ??= `${this.call.args_hash} ${this.key(scope)}`);
    return (this.#serverToolEntry ??= `${this.call.args_hash} ${this.key(scope)}`);
  }

  /** The tool of its server, unlike that of any other. */
  get serverTool(): string {
    const { server_name: server, tool_name: tool } = this.call;
    return (this.#serverTool ??= placed(server, tool));
  }

  /** Whether this has been counted before, by a call that this one goes on with. */
  isPaid(item: ChargeItem): boolean {
    if (this.paid?.covers(item) !== true) return false;
    this.wasPaid = true;
    return true;
  }

  isLifted(place: number): boolean {
    return this.lifted.length > 0 && this.lifted.includes(place);
  }

  refuse(refusal: Refusal): void {
    this.refusal ??= refusal;
  }
}

function placed(server: string, tool: string): string {
  return `${server.length}:${server}/${tool}`;
}

/**
 * The name. Where it is long, or looks like a credential, the beginning of what is left of it without, and a
 * hash that tells it from all others: a state has many keys, and is written at once.
 */
function recordable(name: string): string {
  const { count, text } = redact(name);
  if (count === 0 && name.length <= MAX_NAME) return name;
  return `${text.slice(0, MAX_NAME)}#${sha256Hex(name)}`;
}
