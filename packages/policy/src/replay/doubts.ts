import type { DecideResult } from '../decide/decide.js';
import type { ChargeItem } from '../meter/charge.js';
import type { RecordedCall } from './recorded.js';
import type { ToolQuestions } from './questions.js';

/** Doubtful duplicates that are kept one by one; beyond, their rules are in doubt for every call. */
const MAX_ENTRIES = 65_536;

/** The limits of one run that may have counted something else than they did in its replay. */
export class Doubts {
  readonly #rules: Set<string>;
  /** Calls that a dedupe may remember, or not: rule and arguments. */
  readonly #entries = new Set<string>();
  readonly #entryRules = new Set<string>();

  constructor(rules: readonly { readonly rule_id: string }[] = []) {
    this.#rules = new Set(rules.map(({ rule_id }) => rule_id));
  }

  has(ruleId: string): boolean {
    return this.#rules.has(ruleId);
  }

  /** A limit may have counted something else. */
  add(ruleId: string): void {
    this.#rules.add(ruleId);
  }

  /** A dedupe may remember a call with these arguments, or not. */
  addEntry(ruleId: string, argsHash: string): void {
    this.#entryRules.add(ruleId);
    if (this.#entries.size < MAX_ENTRIES) this.#entries.add(`${ruleId}\n${argsHash}`);
    else for (const id of this.#entryRules) this.#rules.add(id);
  }

  /**
   * Whether a limit in doubt could decide this call otherwise, which is refused by the rule at `refusedAt` at
   * the latest.
   */
  concern({ rules }: ToolQuestions, call: RecordedCall, refusedAt: number): boolean {
    if (this.#rules.size === 0 && this.#entries.size === 0) return false;
    return rules.some(
      ({ rule, index }) =>
        index <= refusedAt &&
        (this.#rules.has(rule.rule_id) ||
          (rule.kind === 'dedupe' && this.#entries.has(`${rule.rule_id}\n${call.args_hash}`))),
    );
  }
}

/** Tells whether a kind of rule counts calls. */
export function isLimit(kind: string): boolean {
  return kind === 'budget' || kind === 'rate_limit' || kind === 'breaker' || kind === 'dedupe';
}

/** The rules that some of the results charge and others do not, or with something else. */
export function differing([first, ...others]: readonly DecideResult[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { charge } of others) {
    const before = first?.charge ?? [];
    if (charge.length === before.length && charge.every((item, at) => sameItem(item, before[at]))) continue;
    const [was, is] = [byRule(before), byRule(charge)];
    for (const id of [...was.keys(), ...is.keys()]) if (!sameItem(was.get(id), is.get(id))) ids.add(id);
  }
  return ids;
}

function byRule(charge: readonly ChargeItem[]): ReadonlyMap<string, ChargeItem> {
  return new Map(charge.map((item) => [item.rule_id, item]));
}

/** Items of one rule are made alike, so that their texts are the same where they are. */
function sameItem(a: ChargeItem | undefined, b: ChargeItem | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}
