import { realpathSync } from 'node:fs';
import {
  type ErrorCode,
  isSublError,
  sha256Hex,
  SublError,
  type UiRulePayload,
} from '@subluminal/core-types';
import { readPolicyFile } from '@subluminal/gateway';
import { ruleDigest } from '@subluminal/policy';
import type { ChildLimits, SubChildren } from '../children/sub-children.js';
import type { RuleOffers, RuleWritten } from '../protocol/rules.js';
import { offersIn, writtenIn } from './answers.js';

const LIMITS: ChildLimits = { ms: 45_000, bytes: 8_388_608, isUnlocked: false };
const WRITE: ChildLimits = { ...LIMITS, isUnlocked: true };

/** Rules of the policy file that let refused calls through, as `sub` writes them. `asker` is `ui:SESSION`. */
export interface RuleVerbs {
  /** The rules that could be written for the refused call of an entry. Writes nothing. */
  offers(asker: string, entry: number): Promise<RuleOffers>;
  /**
   * Writes what was shown, or nothing: `policy_changed`. `in_doubt` where `sub` gave no answer, and the file
   * is not as it was.
   */
  write(asker: string, rule: UiRulePayload): Promise<RuleWritten>;
}

/** Other errors are those of `SubChildren.ask`. `policyFile`: the one that `sub` writes into. */
export function ruleVerbs(children: Pick<SubChildren, 'ask'>, policyFile: string): RuleVerbs {
  const verb = ['hints', 'promote', '--persist'];
  return {
    async offers(asker, entry) {
      return offersIn(await children.ask(asker, [...verb, '--dry-run'], [String(entry)], LIMITS));
    },
    async write(asker, { as, entry, shown }) {
      const bound = ['--as', as, '--expect', shown, '--yes'];
      const before = policyNow(policyFile);
      try {
        return writtenIn(await children.ask(asker, [...verb, ...bound], [String(entry)], WRITE));
      } catch (error) {
        if (!isSublError(error, 'timed_out', 'response_too_large', 'failed')) throw error;
        throw withWhatIsThere(error, { as, shown, before, after: policyNow(policyFile) });
      }
    },
  };
}

/** The policy file of a moment, as its digest names it; undefined while there is none that can be read. */
interface PolicyNow {
  readonly file: string;
  readonly hash: string;
}

function policyNow(path: string): PolicyNow | undefined {
  try {
    const file = realpathSync(path);
    return { file, hash: sha256Hex(readPolicyFile(file)) };
  } catch {
    // Then nothing is known of it, which is doubt.
    return undefined;
  }
}

/** The error of a child that may have written before it was ended. */
function withWhatIsThere(
  { code, help, message }: SublError,
  of: {
    readonly as: string;
    readonly shown: string;
    readonly before: PolicyNow | undefined;
    readonly after: PolicyNow | undefined;
  },
): SublError {
  const { after, as, before, shown } = of;
  const told = (under: ErrorCode, what: string): SublError =>
    new SublError(under, `${message}; the policy file ${what}`, help === undefined ? {} : { help });
  if (before === undefined || after === undefined) return told('in_doubt', 'cannot be read');
  if (before.hash === after.hash) return told(code, 'is as it was');
  const digest = ruleDigest({ as, file: after.file, before: before.hash, after: after.hash });
  return digest === shown
    ? told('in_doubt', 'holds the rule that was shown')
    : told('in_doubt', 'was written meanwhile, and may hold the rule');
}
