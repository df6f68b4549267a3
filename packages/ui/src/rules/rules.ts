import type { UiRulePayload } from '@subluminal/core-types';
import type { ChildLimits, SubChildren } from '../children/sub-children.js';
import type { RuleOffers, RuleWritten } from '../protocol/rules.js';
import { offersIn, writtenIn } from './answers.js';

const LIMITS: ChildLimits = { ms: 45_000, bytes: 8_388_608 };

/** Rules of the policy file that let refused calls through, as `sub` writes them. `asker` is `ui:SESSION`. */
export interface RuleVerbs {
  /** The rules that could be written for the refused call of an entry. Writes nothing. */
  offers(asker: string, entry: number): Promise<RuleOffers>;
  /** Writes what was shown, or nothing: `policy_changed`. */
  write(asker: string, rule: UiRulePayload): Promise<RuleWritten>;
}

/** Errors are those of `SubChildren.ask`. */
export function ruleVerbs(children: Pick<SubChildren, 'ask'>): RuleVerbs {
  const verb = ['hints', 'promote', '--persist'];
  return {
    async offers(asker, entry) {
      return offersIn(await children.ask(asker, [...verb, '--dry-run'], [String(entry)], LIMITS));
    },
    async write(asker, { as, entry, shown }) {
      const bound = ['--as', as, '--expect', shown, '--yes'];
      return writtenIn(await children.ask(asker, [...verb, ...bound], [String(entry)], LIMITS));
    },
  };
}
